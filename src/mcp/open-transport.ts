/** Opens the transport to a server, by its type. */
import { SdkError, SdkErrorCode, type Transport } from "@modelcontextprotocol/client";
import { adaptTransport, connectInstance } from "./in-process.ts";
import { openRemote } from "./open-remote.ts";
import { isChosenByUser, type Server, type StdioServer } from "./server.ts";
import { StdioTransport } from "./stdio.ts";
import { wrapTransport, type OpenTransport } from "./transport.ts";
import type { McpWorld } from "./world.ts";
import { withMachinePathFirst, preferMachineProgram } from "../lib/repository-programs.ts";
import { quoteForShell } from "../lib/shell-quote.ts";
import { hideServerSecrets } from "./server-secrets.ts";

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
      return wrapTransport((await connectInstance(server.instance, signal)) as Transport);
    case "transport":
      return wrapTransport(adaptTransport(server.open(), world.clock) as Transport);
    default:
      return server satisfies never;
  }
}

function openProcess(server: StdioServer, world: McpWorld): OpenTransport {
  const { args, env, cwd, startsIn, name } = server;
  const tag = world.newTag();
  const inherited = world.environment();
  const isProjectServer = !isChosenByUser(server);
  const baseEnvironment = isProjectServer ? inherited : withMachinePathFirst(inherited, cwd);
  const environment = { ...baseEnvironment, ...env };
  // The user's `npx`, and the `node` that runs it, must not be replaced by programs of a repository.
  const command = isProjectServer ? server.command : preferMachineProgram(server.command, environment, cwd);
  const started = withPrefix(baseEnvironment["CLAUDE_CODE_SHELL_PREFIX"]?.trim(), command, args);
  environment["PAWL_TASK"] = `${environment["PAWL_TASK"] ?? ""}${tag}`;
  const log = (line: string): void => world.debug(`mcp ${JSON.stringify(name)} ${hideServerSecrets(line, server)}`);
  const transport = new StdioTransport({ ...started, cwd: startsIn, env: environment, tag, clock: world.clock, log });
  return {
    transport: transport as Transport,
    close: () => transport.close(),
    killNow: () => transport.killNow(),
    lastWords: () => transport.lastWords,
    mayNegotiate: false,
    hasSession: () => false,
    howItEnded: () => transport.howItEnded,
    explainFailure: (error) =>
      isConnectionClosed(error) && transport.howItEnded !== undefined
        ? new Error(`${transport.howItEnded} before it answered`)
        : error,
  };
}

function isConnectionClosed(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed;
}

/** The user may prefix every command with shell words, which get the whole command line as one more argument. */
function withPrefix(prefix: string | undefined, command: string, args: readonly string[]) {
  if (prefix === undefined || prefix === "") return { command, args };
  const line = [command, ...args].map(quoteForShell).join(" ");
  return { command: "/bin/sh", args: ["-c", `${prefix} "$1"`, "sh", line] };
}
