/** A run that a program drives over pipes: the session is created once the program has sent its options. */
import { createEngine } from "../session/compose.ts";
import { UsageError } from "../lib/usage-error.ts";
import type { MirroredPaths } from "../session/mirror/mirrored-paths.ts";
import type { EngineOptions } from "../session/options/options.ts";
import { serversOfClient } from "../surface/stdio/mcp-servers.ts";
import { runStdio, type StdioRun } from "../surface/stdio/run.ts";
import type { RunArguments } from "./run-arguments.ts";
import type { Opened } from "./opened.ts";

export interface DrivenPlaces extends Pick<StdioRun, "stdin" | "stdout" | "stderr" | "version" | "newId"> {
  /** Receives the session as soon as it exists. */
  opened: Pick<Opened, "stop" | "engine" | "tree">;
}

/** Returns the exit code. Throws `UsageError` if no session can be created. */
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
    throw new UsageError("--session-mirror mirrors the transcript, and --no-session-persistence keeps none: use one.");
  const { mirroredPaths } = await import("../session/mirror/mirrored-paths.ts");
  return mirroredPaths(options);
}
