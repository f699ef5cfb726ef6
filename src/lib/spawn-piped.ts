/** Starts a program so that it can open its output by name (`/dev/stderr`), as a program started by a shell can. */
import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { closeSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { letBegin, spawnWithOwnPipes } from "./own-pipes.ts";
import { withoutUndefined } from "./without-undefined.ts";
import { idleShellPipes, takeShellPipes, type ShellPipe } from "./shell-pipes.ts";

export interface PipedOptions extends Omit<SpawnOptions, "stdio"> {
  stdin: "ignore" | "pipe" | number;
  /** Give the program one more pipe, descriptor 3. */
  reports?: boolean;
  /** For a shell with `reports`: arguments with which its script first makes its own pipes (own-pipes.ts). */
  ownPipes?: readonly string[] | undefined;
  /** Awaited right before the program starts, or a shell with `ownPipes` begins; if it throws, it does not start. */
  check?: () => void | Promise<void>;
  /** Called right before a shell with `ownPipes` begins, which may be some time after the check; if it throws, it does not begin. */
  recheck?: () => void;
}

export interface PipedChild {
  child: ChildProcess;
  pid: number;
  stdout: Readable;
  stderr: Readable;
  /** The system's name of the program's end of descriptor 3, if it was looked up before the program began. */
  reportSocket?: string;
  /** Resolves once the program has ended and nobody holds one of its pipes. */
  closed: Promise<void>;
  /** Closes what is left of the pipes on this side. */
  releasePipes(): void;
}

/** Rejects if the program cannot be started. */
export async function spawnPiped(
  file: string,
  args: readonly string[],
  { stdin, reports = false, ownPipes, check, recheck, ...options }: PipedOptions,
): Promise<PipedChild> {
  let pipes = idleShellPipes();
  if (pipes === undefined && ownPipes !== undefined) {
    const own = await spawnWithOwnPipes(file, ownPipes, { ...options, stdin, check, recheck });
    own?.pipes.forEach(({ writeEnd }) => closeSync(writeEnd));
    if (own !== undefined) {
      const { child, pid, reportSocket } = own;
      return { ...createPipedChild(child, pid, own.pipes), ...withoutUndefined({ reportSocket }) };
    }
  }
  pipes ??= await takeShellPipes();
  const outputs = pipes?.map(({ writeEnd }) => writeEnd) ?? ["pipe" as const, "pipe" as const];
  try {
    await check?.();
    const waiting = pipes === undefined ? undefined : ownPipes;
    const stdio = [stdin, ...outputs, ...(reports ? ["pipe" as const] : [])];
    const child = spawn(file, waiting ?? args, { ...options, stdio });
    const { pid } = child;
    if (pid === undefined) throw await new Promise<Error>((resolve) => child.once("error", resolve));
    const piped = createPipedChild(child, pid, pipes);
    if (waiting === undefined) return piped;
    return { ...piped, ...withoutUndefined({ reportSocket: letBegin(pid, child.stdio[3] as Writable) }) };
  } catch (error) {
    pipes?.forEach(({ readEnd }) => readEnd.destroy());
    throw error;
  } finally {
    pipes?.forEach(({ writeEnd }) => closeSync(writeEnd));
  }
}

function createPipedChild(child: ChildProcess, pid: number, pipes: readonly ShellPipe[] | undefined): PipedChild {
  const own = pipes?.map(({ readEnd }) => readEnd) ?? [];
  const [stdout = child.stdout, stderr = child.stderr] = own;
  const streams = [...child.stdio, ...own].filter((stream) => stream !== null && stream !== undefined);
  // A broken pipe is one that ended, and a process need not read its input.
  for (const emitter of [child, ...streams]) emitter.on("error", () => {});
  const closed = Promise.all(
    [child, ...own].map((emitter) => new Promise((resolve) => emitter.once("close", resolve))),
  );
  return {
    child,
    pid,
    stdout: stdout as Readable,
    stderr: stderr as Readable,
    closed: closed.then(() => {}),
    releasePipes: () => streams.forEach((stream) => stream.destroy()),
  };
}
