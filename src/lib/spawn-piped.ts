/** Starts a program that may open what it prints to by its name (`/dev/stderr`), as one that a shell starts may. */
import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { closeSync } from "node:fs";
import type { Readable } from "node:stream";
import { spawnWithOwnPipes } from "./own-pipes.ts";
import { idleShellPipes, takeShellPipes, type ShellPipe } from "./shell-pipes.ts";

export interface PipedOptions extends Omit<SpawnOptions, "stdio"> {
  stdin: "ignore" | "pipe" | number;
  /** It gets one more pipe, descriptor 3. */
  reports?: boolean;
  /** It is a shell, and reports: with these arguments its script begins with `makesOwnPipes`. */
  ownPipes?: readonly string[] | undefined;
  /** Awaited right before it starts, or a shell with `ownPipes` begins: what this throws is why it does not. */
  check?: () => void | Promise<void>;
}

export interface PipedChild {
  child: ChildProcess;
  pid: number;
  stdout: Readable;
  stderr: Readable;
  /** Resolves once it has ended and nobody holds a pipe of it any more. */
  closed: Promise<void>;
  /** Closes what is left of its pipes on this side. */
  letGo(): void;
}

/** Rejects where it cannot be started. */
export async function spawnPiped(
  file: string,
  args: readonly string[],
  { stdin, reports = false, ownPipes, check, ...options }: PipedOptions,
): Promise<PipedChild> {
  let pipes = idleShellPipes();
  if (pipes === undefined && ownPipes !== undefined) {
    const own = await spawnWithOwnPipes(file, ownPipes, { ...options, stdin, check });
    own?.pipes.forEach(({ writeEnd }) => closeSync(writeEnd));
    if (own !== undefined) return joined(own.child, own.pid, own.pipes);
  }
  pipes ??= await takeShellPipes();
  const outputs = pipes?.map(({ writeEnd }) => writeEnd) ?? ["pipe" as const, "pipe" as const];
  try {
    await check?.();
    const child = spawn(file, args, { ...options, stdio: [stdin, ...outputs, ...(reports ? ["pipe" as const] : [])] });
    const { pid } = child;
    if (pid === undefined) throw await new Promise<Error>((resolve) => child.once("error", resolve));
    return joined(child, pid, pipes);
  } catch (error) {
    pipes?.forEach(({ readEnd }) => readEnd.destroy());
    throw error;
  } finally {
    pipes?.forEach(({ writeEnd }) => closeSync(writeEnd));
  }
}

function joined(child: ChildProcess, pid: number, pipes: readonly ShellPipe[] | undefined): PipedChild {
  const own = pipes?.map(({ readEnd }) => readEnd) ?? [];
  const [stdout = child.stdout, stderr = child.stderr] = own;
  const streams = [...child.stdio, ...own].filter((stream) => stream !== null && stream !== undefined);
  // A pipe that breaks is one that ended, and a process need not read its input.
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
    letGo: () => streams.forEach((stream) => stream.destroy()),
  };
}
