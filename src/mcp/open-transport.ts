/** Opens the transport to a server, by its type. */
import type { Transport } from "@modelcontextprotocol/client";
import { adapted, connectInstance } from "./in-process.ts";
import { openRemote } from "./open-remote.ts";
import { isUsersOwn, type Server, type StdioServer } from "./server.ts";
import { StdioTransport } from "./stdio.ts";
import { plain, type OpenTransport } from "./way.ts";
import type { McpWorld } from "./world.ts";
import { machinesFirst, notBrought } from "../lib/program-outside.ts";
import { shellQuoted } from "../lib/shell-quote.ts";
import { withoutGiven } from "./given-secrets.ts";

/** `onLost` is called at most once, with a clause, if the transport's own close event does not tell. `signal` ends the preparations. */
export async function openTransport(
  server: Server,
  world: McpWorld,
  onLost: (why: string) => void,
  signal: AbortSignal,
): Promise<OpenTransport> {
  switch (server.type) {
    case "stdio":
      return openProcess(server, world);
    case "http":
    case "sse":
      return await openRemote(server, world, onLost, signal);
    case "ws":
      return await (await import("./web-socket.ts")).openWebSocket(server, world, signal);
    case "sdk":
      return plain((await connectInstance(server.instance, signal)) as Transport);
    case "transport":
      return plain(adapted(server.open(), world.clock) as Transport);
    default:
      return server satisfies never;
  }
}

function openProcess(server: StdioServer, world: McpWorld): OpenTransport {
  const { args, env, cwd, startsIn, name } = server;
  const tag = world.newTag();
  const inherited = world.environment();
  const isFolders = !isUsersOwn(server);
  const usual = isFolders ? inherited : machinesFirst(inherited, cwd);
  const environment = { ...usual, ...env };
  // The user's `npx`, and the `node` that runs it, must not be replaced by programs of a repository.
  const command = isFolders ? server.command : notBrought(server.command, environment, cwd);
  const started = withPrefix(usual["CLAUDE_CODE_SHELL_PREFIX"]?.trim(), command, args);
  environment["PAWL_TASK"] = `${environment["PAWL_TASK"] ?? ""}${tag}`;
  const log = (line: string): void => world.debug(`mcp ${JSON.stringify(name)} ${withoutGiven(line, server)}`);
  const transport = new StdioTransport({ ...started, cwd: startsIn, env: environment, tag, clock: world.clock, log });
  return {
    transport: transport as Transport,
    close: () => transport.close(),
    killNow: () => transport.killNow(),
    lastErrors: () => transport.lastErrors,
    mayNegotiate: false,
    hasSession: () => false,
  };
}

/** The user may prefix every command with shell words, which get the whole command line as one more argument. */
function withPrefix(prefix: string | undefined, command: string, args: readonly string[]) {
  if (prefix === undefined || prefix === "") return { command, args };
  const line = [command, ...args].map(shellQuoted).join(" ");
  return { command: "/bin/sh", args: ["-c", `${prefix} "$1"`, "sh", line] };
}
