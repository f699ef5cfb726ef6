/** `pawl mcp`: lists and changes the configured servers. */
import { revealLine } from "../lib/sanitize.ts";
import { UsageError } from "../lib/usage-error.ts";
import type { EngineOptions } from "../session/options/options.ts";
import type { ListedServer } from "../session/mcp/admin.ts";
import type { McpArguments } from "./mcp-arguments.ts";

/** Returns undefined if there is no terminal to ask on. */
type AskSecret = (question: string) => Promise<string | undefined>;

type Around = Pick<EngineOptions, "cwd" | "env" | "onNotice">;

export async function runMcp(
  asked: McpArguments,
  around: Around,
  print: (text: string) => Promise<unknown>,
  ask: AskSecret = () => Promise.resolve(undefined),
): Promise<number> {
  const { openMcpAdmin } = await import("../session/mcp/admin.ts");
  const admin = openMcpAdmin(around);
  const say = (text: string): Promise<unknown> =>
    print(`${text.replace(/[^ ].*/su, (words) => revealLine(words, 2_000))}\n`);
  switch (asked.verb) {
    case "list": {
      const servers = await admin.list();
      if (servers.length === 0) await say("There are no MCP servers. Add one with pawl mcp add.");
      for (const server of servers) await say(lineOf(server));
      return 0;
    }
    case "get": {
      const servers = await admin.list(asked.name);
      if (servers.length === 0) throw new UsageError(`There is no MCP server ${asked.name}.`);
      for (const server of servers) {
        await say(lineOf(server));
        await say(`  scope ${server.scope}, from ${server.source}`);
      }
      return 0;
    }
    case "add": {
      const secret = asked.hasSecret ? await secretFor(asked.name, around, ask) : undefined;
      const file = await admin.add(asked.name, asked.server, asked.scope, secret);
      const next = asked.scope === "project" ? " It starts once the folder is trusted: pawl trust add." : "";
      await say(`Added ${asked.name} to ${file}.${next}`);
      return 0;
    }
    case "remove": {
      const files = await admin.remove(asked.name, asked.scope);
      await say(`Removed ${asked.name} from ${files.join(", ")}.`);
      return 0;
    }
    case "login":
      await admin.login(asked.name, async (url) => {
        await say(`Open this address in a browser, and come back: ${url.href}`);
      });
      await say(`Logged in to ${asked.name}.`);
      return 0;
    case "logout": {
      const { hadLogin, hadSecret } = await admin.logout(asked.name);
      const secret = hadSecret ? " Its client secret was removed, too." : "";
      await say(`${hadLogin ? "Logged out of" : "There was no stored login for"} ${asked.name}.${secret}`);
      return 0;
    }
    default:
      return asked satisfies never;
  }
}

async function secretFor(name: string, { env = {} }: Around, ask: AskSecret): Promise<string> {
  const given = env["MCP_CLIENT_SECRET"];
  if (given !== undefined && given !== "") return given;
  const typed = await ask(`Client secret for ${revealLine(name, 200)} (not shown as you type): `);
  if (typed === undefined)
    throw new UsageError(
      "--client-secret asks on a terminal, but there is none: give the secret in MCP_CLIENT_SECRET.",
    );
  return typed;
}

function lineOf({ name, place, status, error, tools }: ListedServer): string {
  const state = {
    connected: `connected, ${tools ?? 0} tools`,
    failed: `failed: ${error ?? ""}`,
    "needs-auth": `not logged in: ${error ?? ""}`,
    pending: "still connecting",
    disabled: `off: ${error ?? ""}`,
    untrusted: 'not started because the folder is not trusted ("pawl trust add")',
  }[status];
  return `${name}: ${place} - ${state}`;
}
