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
  taken: Promise<boolean>;
  /** Takes hold of the pipes it made; works once. */
  take(): void;
}

const numbers = [6, 7, 8, 9];
const each = (text: (number: number) => string): string => numbers.map(text).join("");
/** The shell's working directory once it has made the pipes. */
const doneIn = "/proc";
/** Shells keep here-documents in pipes, but bash before 5.1 uses files: it makes pipes by process substitution, once outside POSIX mode. */
const script = `if [ -n "$BASH_VERSION" ];then set +o posix;eval 'exec${each((number) => ` ${number}> >(:)`)}'
else exec${each((number) => ` ${number}<<E`)}${each(() => "\n\nE")}
fi;cd ${doneIn};echo;read _`;
const longestMs = 5_000;

/** O_PATH, which Node.js has no name for: holds a pipe without reading or writing. */
const heldOnly = 0o10000000;
const mostIdle = 8;
const idle: number[] = [];
const keepers = new Set<object>();
let making: PipeMaker | undefined;
/** Each resolves when the shell is gone. */
const shells = new Set<Promise<void>>();
let waiting = 0;
let canHave = canHavePipes();

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
  if (keepers.size === 0) for (const holder of idle.splice(0)) closeSync(holder);
}

/** Starts making pipes before `takeShellPipes` needs them. Requires a keeper, since unused pipes are closed by the last keeper. */
export function makeShellPipesAhead(): void {
  if (canHave && idle.length < 2) making ??= startShell();
}

/** Keeps a pipe that is empty and that nobody writes to. */
function keep(holder: number): void {
  if (idle.length < mostIdle) idle.push(holder);
  else closeSync(holder);
}

/** Returns pipes for one child's output; undefined if none can be made. */
export async function takeShellPipes(): Promise<[ShellPipe, ShellPipe] | undefined> {
  waiting += 1;
  try {
    while (canHave && idle.length < 2) {
      const shell = (making ??= startShell());
      // A shell started ahead may have finished long ago while this process was too busy to notice.
      if (linkOf(`/proc/${shell.pid}/cwd`) === doneIn) shell.take();
      if (!(await shell.taken)) return undefined;
    }
  } finally {
    waiting -= 1;
  }
  return openedPair([idle.pop(), idle.pop()]);
}

/** The same without waiting: only if pipes are idle. */
export function idleShellPipes(): [ShellPipe, ShellPipe] | undefined {
  return idle.length < 2 ? undefined : openedPair([idle.pop(), idle.pop()]);
}

/** Takes the pipes that a waiting shell has open for reading at these two descriptors. */
export function shellPipesOf(pid: number, numbers: readonly [number, number]): [ShellPipe, ShellPipe] | undefined {
  const paths = numbers.map((number) => `/proc/${pid}/fd/${number}`);
  return paths.every(isPipe) ? openedPair(paths.map(heldEmpty)) : undefined;
}

function openedPair(holders: readonly (number | undefined)[]): [ShellPipe, ShellPipe] | undefined {
  const [stdout, stderr] = holders.map(opened);
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
  const taken = Promise.withResolvers<boolean>();
  let isOver = false;
  const finish = (made: readonly number[]): void => {
    isOver = true;
    making = undefined;
    made.forEach(keep);
    if (waiting === 0) closeUnkept();
    taken.resolve(made.length > 0);
  };
  const take = (): void => {
    if (isOver) return;
    const paths = numbers.map((number) => `/proc/${pid}/fd/${number}`).filter(isPipe);
    canHave = paths.length > 0;
    finish(paths.flatMap((path) => heldEmpty(path) ?? []));
    child.stdin?.end();
  };
  const giveUp = (): void => {
    if (isOver) return;
    // A shell that could not be started may work another time; one that makes no pipes never will.
    if (pid !== undefined) canHave = false;
    finish([]);
  };
  // The timeout option of spawn() would keep running if the shell cannot be started, and keep this process alive until then.
  const timer = setTimeout(killStarted, longestMs, child);
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
  return { pid, take, taken: taken.promise };
}

/** Takes hold of a pipe and reads away what the shell wrote to create it. */
function heldEmpty(path: string): number | undefined {
  const holder = openedAs(path, heldOnly);
  const reading = holder === undefined ? undefined : openedAs(path, constants.O_RDONLY | constants.O_NONBLOCK);
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
function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function isPipe(path: string): boolean {
  return linkOf(path)?.startsWith("pipe:") === true;
}

/** Undefined if no more files can be opened. */
function openedAs(path: string, flags: number): number | undefined {
  try {
    return openSync(path, flags);
  } catch {
    return undefined;
  }
}

function opened(holder: number | undefined): ShellPipe | undefined {
  if (holder === undefined) return undefined;
  const path = `/proc/self/fd/${holder}`;
  const fd = openedAs(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writeEnd = fd === undefined ? undefined : openedAs(path, constants.O_WRONLY);
  if (fd !== undefined && writeEnd !== undefined) return { writeEnd, readEnd: reader(fd, holder) };
  if (fd !== undefined) closeSync(fd);
  closeSync(holder);
  return undefined;
}

/** A pipe that nobody can write to any more is reused. */
function reader(fd: number, holder: number): Readable {
  const readEnd = new Socket({ fd, readable: true, writable: false });
  let isEmpty = false;
  readEnd.on("end", () => (isEmpty = true));
  readEnd.on("close", () => {
    if (isEmpty) keep(holder);
    else closeSync(holder);
    closeUnkept();
  });
  return readEnd;
}
