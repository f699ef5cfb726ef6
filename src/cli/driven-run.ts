/** A run that a program drives over its pipes: the session is made once the program has said what it is to be. */
import { createEngine } from "../session/compose.ts";
import { UsageError } from "../lib/usage-error.ts";
import type { MirroredPaths } from "../session/mirror/mirrored-paths.ts";
import type { EngineOptions } from "../session/options/options.ts";
import { serversOfClient } from "../surface/stdio/mcp-servers.ts";
import { runStdio, type StdioRun } from "../surface/stdio/run.ts";
import type { RunArguments } from "./run-arguments.ts";
import type { Opened } from "./opened.ts";

export interface DrivenPlaces extends Pick<StdioRun, "stdin" | "stdout" | "stderr" | "version" | "newId"> {
  /** Learns of the session as soon as it is there. */
  opened: Pick<Opened, "stop" | "engine" | "tree">;
}

/** Answers the exit code. Throws `UsageError` where there can be no session. */
export async function startDriven(
  { client }: RunArguments,
  options: EngineOptions,
  { opened, ...places }: DrivenPlaces,
): Promise<number> {
  const clientServers = serversOfClient(options.mcpConfig ?? [], options.cwd ?? "");
  const mirrored = client.mirrorsSession ? await pathsOf(options) : undefined;
  const { sessionsHome } = mirrored ?? {};
  const own = { ...options, sessionsHome };
  return await runStdio({
    ...places,
    open: async (wanted) => {
      opened.engine = await createEngine({ ...own, ...wanted });
      return opened.engine;
    },
    clientServers,
    asksClient: client.asksClient,
    replaysUserMessages: client.replaysUserMessages,
    mirrors: mirrored?.nameOf,
    env: options.env ?? process.env,
    worktree: opened.tree?.name,
    mayBypass: client.mayBypass || options.permissionMode === "bypassPermissions",
    stop: opened.stop,
    debug: options.debug,
  });
}

async function pathsOf(options: EngineOptions): Promise<MirroredPaths> {
  if (options.persistSession === false)
    throw new UsageError(
      "--session-mirror shows what is written, and --no-session-persistence writes nothing: use one.",
    );
  const { mirroredPaths } = await import("../session/mirror/mirrored-paths.ts");
  return mirroredPaths(options);
}
