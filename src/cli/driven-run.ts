/** A run that a program drives over pipes: the session is created once the program has sent its options. */
import { createEngine } from "../session/compose.ts";
import { UsageError } from "../lib/usage-error.ts";
import type { MirroredPaths } from "../session/mirror/mirrored-paths.ts";
import type { EngineOptions } from "../session/options/options.ts";
import { sdkServerConfigs } from "../surface/stdio/mcp-servers.ts";
import { runStdio } from "../surface/stdio/run.ts";
import type { StdioRun } from "../surface/stdio/run-options.ts";
import type { RunArguments } from "./run-arguments.ts";
import type { RunResources } from "./run-resources.ts";

export interface DrivenRunContext extends Pick<StdioRun, "stdin" | "stdout" | "stderr" | "version" | "newId"> {
  /** Receives the session as soon as it exists. */
  resources: Pick<RunResources, "stop" | "engine" | "tree">;
}

/** Returns the exit code. Throws `UsageError` if no session can be created. */
export async function startDrivenRun(
  { client }: RunArguments,
  options: EngineOptions,
  { resources, ...context }: DrivenRunContext,
): Promise<number> {
  const clientServers = sdkServerConfigs(options.mcpConfig ?? [], options.cwd ?? "");
  const mirrored = client.mirrorsSession ? await readMirroredPaths(options) : undefined;
  const { sessionsHome } = mirrored ?? {};
  const ownOptions = { ...options, sessionsHome };
  return await runStdio({
    ...context,
    open: async (clientOptions) => {
      resources.engine = await createEngine({ ...ownOptions, ...clientOptions });
      return resources.engine;
    },
    clientServers,
    asksClient: client.asksClient,
    replaysUserMessages: client.replaysUserMessages,
    transcriptName: mirrored?.nameOf,
    env: options.env ?? process.env,
    worktree: resources.tree?.name,
    mayBypass: client.mayBypass || options.permissionMode === "bypassPermissions",
    stop: resources.stop,
    debug: options.debug,
  });
}

async function readMirroredPaths(options: EngineOptions): Promise<MirroredPaths> {
  if (options.persistSession === false)
    throw new UsageError("--session-mirror mirrors the transcript, and --no-session-persistence keeps none: use one.");
  const { mirroredPaths } = await import("../session/mirror/mirrored-paths.ts");
  return mirroredPaths(options);
}
