/** `pawl mcp`: lists and changes the configured servers. */
import { formatCount } from "../lib/format-figures.ts";
import { revealLine } from "../lib/sanitize.ts";
import { UsageError } from "../lib/usage-error.ts";
import type { EngineOptions } from "../session/options/options.ts";
import type { ListedServer } from "../session/mcp/admin.ts";
import type { McpArguments } from "./mcp-arguments.ts";

/** Returns undefined if there is no terminal to ask on. */
type AskSecret = (question: string) => Promise<string | undefined>;

type McpContext = Pick<EngineOptions, "cwd" | "env" | "onNotice">;

export async function runMcp(
  args: McpArguments,
  context: McpContext,
  print: (text: string) => Promise<unknown>,
  ask: AskSecret = () => Promise.resolve(undefined),
): Promise<number> {
  const { openMcpAdmin } = await import("../session/mcp/admin.ts");
  const admin = openMcpAdmin(context);
  const say = (text: string): Promise<unknown> =>
    print(`${text.replace(/[^ ].*/su, (words) => revealLine(words, 2_000))}\n`);
  switch (args.verb) {
    case "list": {
      const servers = await admin.list();
      if (servers.length === 0) await say("There are no MCP servers. Add one with pawl mcp add.");
      for (const server of servers) await say(serverLine(server));
      return 0;
    }
    case "get": {
      const servers = await admin.list(args.name);
      if (servers.length === 0) throw new UsageError(`There is no MCP server ${args.name}.`);
      for (const server of servers) {
        await say(serverLine(server));
        await say(`  scope ${server.scope}, from ${server.source}`);
      }
      return 0;
    }
    case "add": {
      const secret = args.hasSecret ? await obtainClientSecret(args.name, context, ask) : undefined;
      const file = await admin.add(args.name, args.server, args.scope, secret);
      const next = args.scope === "project" ? " It starts once the folder is trusted: pawl trust add." : "";
      await say(`Added ${args.name} to ${file}.${next}`);
      return 0;
    }
    case "remove": {
      const files = await admin.remove(args.name, args.scope);
      await say(`Removed ${args.name} from ${files.join(", ")}.`);
      return 0;
    }
    case "login":
      await admin.login(args.name, async (url) => {
        await say(`Open this address in a browser, and come back: ${url.href}`);
      });
      await say(`Logged in to ${args.name}.`);
      return 0;
    case "logout": {
      const { hadLogin, hadSecret } = await admin.logout(args.name);
      const secret = hadSecret ? " Its client secret was removed, too." : "";
      await say(`${hadLogin ? "Logged out of" : "There was no stored login for"} ${args.name}.${secret}`);
      return 0;
    }
    default:
      return args satisfies never;
  }
}

async function obtainClientSecret(name: string, { env = {} }: McpContext, ask: AskSecret): Promise<string> {
  const fromEnvironment = env["MCP_CLIENT_SECRET"];
  if (fromEnvironment !== undefined && fromEnvironment !== "") return fromEnvironment;
  const typed = await ask(`Client secret for ${revealLine(name, 200)} (not shown as you type): `);
  if (typed === undefined)
    throw new UsageError(
      "--client-secret asks on a terminal, but there is none: give the secret in MCP_CLIENT_SECRET.",
    );
  return typed;
}

function serverLine({ name, place, startsIn, status, error, tools }: ListedServer): string {
  const state = {
    connected: `connected, ${formatCount(tools ?? 0, "tool")}`,
    failed: `failed: ${error ?? ""}`,
    "needs-auth": `not logged in: ${error ?? ""}`,
    pending: "still connecting",
    disabled: `off: ${error ?? ""}`,
    untrusted: 'not started because the folder is not trusted ("pawl trust add")',
  }[status];
  const folder = startsIn === undefined ? "" : ` (in ${startsIn})`;
  return place === "" ? `${name} - ${state}` : `${name}: ${place}${folder} - ${state}`;
}
