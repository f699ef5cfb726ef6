/** Runs one command to its end: its own exit, its timeout, an abort, too much output, or a move. The first cause decides. */
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import type { ConfinedCommand, SandboxInput } from "../../protocol/sandbox.ts";
import type { ToolDependencies } from "../dependencies.ts";
import { commandEnvironment } from "./environment.ts";
import { OutputCollector, outputLimits } from "./output.ts";
import { commandFileContent, commandFileNeed, shellCall, type ShellCall, type ShellSettings } from "./program.ts";
import type { Shell } from "./configured-shell.ts";
import type { ShellRun } from "./run.ts";
import { NotStartedError } from "./wait-before-command.ts";
import type { Environment } from "../../lib/environment.ts";

export type Ending = "exited" | "timeout" | "aborted" | "excess" | "moved";

export interface EndingWatch {
  timeoutMs: number;
  signal: AbortSignal;
  /** Is given a function that lets the call go on without the command; returns a function that forgets it. */
  movable: (move: () => void) => () => void;
  /** Everything the command started ends with it: a process that still holds its pipes is about to exit. */
  leavesNothing: boolean;
  /** Called about once a second while output comes, and never after the end. */
  onProgress(run: ShellRun): void;
}

/** How long to wait, after a shell has ended, for output that is still in the pipes, ms. */
const exitGraceMs = 100;
const confinedGraceMs = 5000;
const progressMs = 1000;

export interface StartedCommand {
  run: ShellRun;
  /** Absent: the command is not confined. */
  confined?: ConfinedCommand;
}

export interface CommandCall {
  input: SandboxInput;
  toolUseId: string;
  cwd: string;
  signal: AbortSignal;
  /** Awaited before the command begins; if it rejects, the command does not run. */
  ready: () => Promise<void>;
}

export async function startCommand(
  shell: Shell,
  { signal, ready, ...call }: CommandCall,
  memory: number,
  dependencies: ToolDependencies,
): Promise<StartedCommand> {
  const { background, passEnvironment, spillDirectory, sandbox } = dependencies;
  const environment = {
    ...dependencies.environment,
    ...(await dependencies.hookVariables?.(signal)),
    ...dependencies.traceVariables?.(call.toolUseId),
  };
  const { input, cwd } = call;
  // Changes a sandbox makes in the folders belong to the command, so wait before them too.
  if (sandbox !== undefined) await ready();
  const privateFile = (kind: string): string => join(spillDirectory(), `${kind}-${randomBytes(6).toString("hex")}.txt`);
  const output = new OutputCollector({ ...outputLimits, memory }, () => privateFile("output"));
  const shellSettings = readShellSettings(dependencies.environment);
  const script = await writeScriptFile(input.command, shellSettings, () => privateFile("command"));
  const plain = shellCall(shell, script ?? input.command, { ...shellSettings, fromFile: script !== undefined });
  const onRelease: (() => void)[] = script === undefined ? [] : [() => rmSync(script, { force: true })];
  const release = (): void => onRelease.forEach((each) => each());
  try {
    const kind = sandbox?.confinementOf(input).kind ?? "excluded";
    // A call that may not leave the sandbox stays in it, no matter who allowed the call.
    const isConfined = kind === "confined" || kind === "refused";
    const confined = isConfined ? await sandbox?.enter({ ...call, ...plain }) : undefined;
    if (confined !== undefined) onRelease.push(() => confined.release());
    const { file, args, ownPipes }: ShellCall = confined ?? plain;
    const assertWanted = (): void => {
      if (signal.aborted) throw new NotStartedError();
    };
    const start = { file, args, ownPipes, cwd, output, ready, assertWanted, onRelease: release };
    const run = await background.start(start, (tag) => {
      const own = { ...commandEnvironment(environment, tag, passEnvironment), ...dependencies.sessionVariables?.() };
      return confined?.environment(own) ?? own;
    });
    return confined === undefined ? { run } : { run, confined };
  } catch (error) {
    release();
    throw error;
  }
}

/** Writes the command to a file and returns its path; undefined if it needs no file. */
async function writeScriptFile(
  command: string,
  shellSettings: ShellSettings,
  privateFile: () => string,
): Promise<string | undefined> {
  const why = commandFileNeed(command, shellSettings);
  if (why === undefined) return undefined;
  let path: string | undefined;
  try {
    path = privateFile();
    await writeFile(path, commandFileContent(command), { flag: "wx", mode: 0o600 });
    return path;
  } catch (error) {
    if (path !== undefined) rmSync(path, { force: true });
    if (why === "needed") throw error;
    // For example on a full disk.
    return undefined;
  }
}

/** Taken from the user's environment only, since hooks set variables too. */
function readShellSettings(environment: Environment): ShellSettings {
  const prefix = environment["CLAUDE_CODE_SHELL_PREFIX"]?.trim() ?? "";
  const hasEnvFile = isAbsolute(environment["CLAUDE_ENV_FILE"] ?? "");
  return prefix === "" ? { hasEnvFile } : { hasEnvFile, prefix };
}

export function awaitEnding(run: ShellRun, watch: EndingWatch, clock: ToolDependencies["clock"]): Promise<Ending> {
  return new Promise((resolve) => {
    let cancelGrace: (() => void) | null = null;
    let cancelProgress = (): void => {};
    const onAbort = (): void => end("aborted");
    const cancelTimeout = clock.timer(watch.timeoutMs, () => end("timeout"));
    let isOver = false;
    const forget = watch.movable(() => end("moved"));
    const end = (ending: Ending): void => {
      if (isOver) return;
      isOver = true;
      forget();
      cancelGrace?.();
      cancelProgress();
      cancelTimeout();
      watch.signal.removeEventListener("abort", onAbort);
      run.onStep = null;
      run.output.onExcess = null;
      resolve(ending);
    };
    const graceMs = watch.leavesNothing ? confinedGraceMs : exitGraceMs;
    const reportProgress = (): void => {
      watch.onProgress(run);
      cancelProgress = clock.timer(progressMs, reportProgress);
    };
    cancelProgress = clock.timer(progressMs, reportProgress);
    // If the process is busy, this timer may fire before the pipes are read: give them one more turn.
    const lookOnce = (): void => void setImmediate(() => setImmediate(() => end("exited")));
    run.onStep = () => {
      if (run.isClosed) end("exited");
      else if (run.exit !== null) cancelGrace ??= clock.timer(graceMs, lookOnce);
    };
    run.output.onExcess = () => end("excess");
    watch.signal.addEventListener("abort", onAbort, { once: true });
    if (watch.signal.aborted) end("aborted");
    else run.onStep();
  });
}
