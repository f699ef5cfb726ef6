/**
 * Provides real pipes, made by a shell. Node.js gives a child sockets instead, and on Linux a socket cannot be opened again, so a script
 * that prints to `/dev/stderr` by name would fail. A shell makes a few pipes; a held pipe can be opened again and again, even after the
 * shell is gone, and is empty once everybody has closed it.
 */
import { spawn } from "node:child_process";
import { closeSync, constants, openSync, readlinkSync, readSync } from "node:fs";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { isMainThread } from "node:worker_threads";
import { hasPipes } from "./has-pipes.ts";
import { killStarted } from "./kill-started.ts";
import { hasOwnProc } from "./own-proc.ts";

export interface ShellPipe {
  /** For a child process. The code that took the pipe closes it. */
  writeEnd: number;
  /** Ends when nobody can write any more. */
  readEnd: Readable;
}

/** A shell that makes pipes. */
interface PipeMaker {
  pid: number | undefined;
  /** Whether it made any. */
  hasMadePipes: Promise<boolean>;
  /** Takes hold of the pipes it made; works once. */
  take(): void;
}

const pipeDescriptors = [6, 7, 8, 9];
const forEachDescriptor = (text: (number: number) => string): string => pipeDescriptors.map(text).join("");
/** The shell's working directory once it has made the pipes. */
const doneFolder = "/proc";
/** Shells keep here-documents in pipes, but bash before 5.1 uses files: it makes pipes by process substitution, once outside POSIX mode. */
const script = `if [ -n "$BASH_VERSION" ];then set +o posix;eval 'exec${forEachDescriptor((number) => ` ${number}> >(:)`)}'
else exec${forEachDescriptor((number) => ` ${number}<<E`)}${forEachDescriptor(() => "\n\nE")}
fi;cd ${doneFolder};echo;read _`;
const shellLimitMs = 5_000;
/** A held-up machine makes one shell late. A second one in a row is taken to mean that all of them would be. */
const mostLateShells = 2;

/** O_PATH, which Node.js has no name for: holds a pipe without reading or writing. */
const pathOnlyFlag = 0o10000000;
const mostIdle = 8;
const idlePipes: number[] = [];
const keepers = new Set<object>();
let currentMaker: PipeMaker | undefined;
/** Each resolves when the shell is gone. */
const shells = new Set<Promise<void>>();
let waiterCount = 0;
let lateShells = 0;
let canMakePipes = canHavePipes();

/**
 * Not in a worker thread: when it ends, Node.js closes every descriptor opened in it, even one that a socket closed earlier, which may
 * belong to another thread by then. And not in Bun, whose sockets cannot read from a given descriptor.
 */
export function canHavePipes(versions: NodeJS.ProcessVersions = process.versions): boolean {
  return isMainThread && versions["bun"] === undefined && hasOwnProc();
}

/** Keeps idle pipes for later commands. The returned function ends that; its promise resolves when no shell is left. */
export function keepShellPipes(keeper: object): () => Promise<void> {
  keepers.add(keeper);
  return async () => {
    keepers.delete(keeper);
    closeUnkept();
    await Promise.all(shells);
  };
}

function closeUnkept(): void {
  if (keepers.size === 0) for (const holder of idlePipes.splice(0)) closeSync(holder);
}

/** Starts making pipes before `takeShellPipes` needs them. Requires a keeper, since unused pipes are closed by the last keeper. */
export function makeShellPipesAhead(): void {
  if (canMakePipes && idlePipes.length < 2) currentMaker ??= startShell();
}

/** Keeps a pipe that is empty and that nobody writes to. */
function keepIdlePipe(holder: number): void {
  if (idlePipes.length < mostIdle) idlePipes.push(holder);
  else closeSync(holder);
}

/** Returns pipes for one child's output; undefined if none can be made. */
export async function takeShellPipes(): Promise<[ShellPipe, ShellPipe] | undefined> {
  waiterCount += 1;
  try {
    while (canMakePipes && idlePipes.length < 2) {
      const shell = (currentMaker ??= startShell());
      // A shell started ahead may have finished long ago while this process was too busy to notice.
      if (isDone(shell.pid)) shell.take();
      if (!(await shell.hasMadePipes)) return undefined;
    }
  } finally {
    waiterCount -= 1;
  }
  return openPair([idlePipes.pop(), idlePipes.pop()]);
}

function isDone(pid: number | undefined): boolean {
  return linkTarget(`/proc/${pid}/cwd`) === doneFolder;
}

/** The same without waiting: only if pipes are idle. */
export function idleShellPipes(): [ShellPipe, ShellPipe] | undefined {
  return idlePipes.length < 2 ? undefined : openPair([idlePipes.pop(), idlePipes.pop()]);
}

/** Takes the pipes that a waiting shell has open for reading at these two descriptors. */
export function shellPipesOf(pid: number, numbers: readonly [number, number]): [ShellPipe, ShellPipe] | undefined {
  const paths = numbers.map((number) => `/proc/${pid}/fd/${number}`);
  return paths.every(isPipe) ? openPair(paths.map(holdEmptied)) : undefined;
}

function openPair(holders: readonly (number | undefined)[]): [ShellPipe, ShellPipe] | undefined {
  const [stdout, stderr] = holders.map(openPipe);
  if (stdout !== undefined && stderr !== undefined) return [stdout, stderr];
  for (const half of [stdout, stderr]) {
    if (half !== undefined) closeSync(half.writeEnd);
    half?.readEnd.destroy();
  }
  return undefined;
}

function startShell(): PipeMaker {
  const child = spawn("/bin/sh", ["-c", script], {
    stdio: ["pipe", "pipe", "ignore"],
    cwd: "/",
    env: {},
    detached: true,
  });
  const { pid } = child;
  const pipesMade = Promise.withResolvers<boolean>();
  let isOver = false;
  let isLate = false;
  const finish = (pipeNumbers: readonly number[]): void => {
    isOver = true;
    currentMaker = undefined;
    pipeNumbers.forEach(keepIdlePipe);
    if (waiterCount === 0) closeUnkept();
    pipesMade.resolve(pipeNumbers.length > 0);
  };
  const take = (): void => {
    if (isOver) return;
    if (isLate) return giveUp();
    const paths = pipeDescriptors.map((number) => `/proc/${pid}/fd/${number}`).filter(isPipe);
    canMakePipes = paths.length > 0;
    lateShells = 0;
    finish(paths.flatMap((path) => holdEmptied(path) ?? []));
    child.stdin?.end();
  };
  const giveUp = (): void => {
    if (isOver) return;
    if (isLate) lateShells += 1;
    // A shell that could not be started, or was late, may work another time; one that makes no pipes never will.
    if (pid !== undefined && (!isLate || lateShells >= mostLateShells)) canMakePipes = false;
    finish([]);
  };
  const endLateShell = (): void => {
    // If this process was held up, its limit comes before the word of a shell that was done long ago.
    if (isDone(pid)) take();
    isLate = true;
    killStarted(child);
  };
  // The timeout option of spawn() would keep running if the shell cannot be started, and keep this process alive until then.
  const timer = setTimeout(endLateShell, shellLimitMs);
  const over = new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      giveUp();
      // The rest of its streams is closed in the same turn of the event loop.
      setImmediate(resolve);
    };
    child.on("error", end);
    child.on("close", end);
  }).then(() => void shells.delete(over));
  shells.add(over);
  if (hasPipes(child)) {
    child.stdin.on("error", () => {});
    child.stdout.once("data", take);
  }
  return { pid, take, hasMadePipes: pipesMade.promise };
}

/** Takes hold of a pipe and reads away what the shell wrote to create it. */
function holdEmptied(path: string): number | undefined {
  const holder = tryOpen(path, pathOnlyFlag);
  const reading = holder === undefined ? undefined : tryOpen(path, constants.O_RDONLY | constants.O_NONBLOCK);
  if (reading === undefined) {
    if (holder !== undefined) closeSync(holder);
    return undefined;
  }
  try {
    readSync(reading, Buffer.alloc(16));
  } catch {
    // The pipe is empty.
  }
  closeSync(reading);
  return holder;
}

/** Undefined if there is no link, or we may not read it. */
function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function isPipe(path: string): boolean {
  return linkTarget(path)?.startsWith("pipe:") === true;
}

/** Undefined if no more files can be opened. */
function tryOpen(path: string, flags: number): number | undefined {
  try {
    return openSync(path, flags);
  } catch {
    return undefined;
  }
}

function openPipe(holder: number | undefined): ShellPipe | undefined {
  if (holder === undefined) return undefined;
  const path = `/proc/self/fd/${holder}`;
  const fd = tryOpen(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writeEnd = fd === undefined ? undefined : tryOpen(path, constants.O_WRONLY);
  if (fd !== undefined && writeEnd !== undefined) return { writeEnd, readEnd: createReader(fd, holder) };
  if (fd !== undefined) closeSync(fd);
  closeSync(holder);
  return undefined;
}

/** A pipe that nobody can write to any more is reused. */
function createReader(fd: number, holder: number): Readable {
  const readEnd = new Socket({ fd, readable: true, writable: false });
  let isEmpty = false;
  readEnd.on("end", () => (isEmpty = true));
  readEnd.on("close", () => {
    if (isEmpty) keepIdlePipe(holder);
    else closeSync(holder);
    closeUnkept();
  });
  return readEnd;
}
