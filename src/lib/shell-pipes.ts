/**
 * Pipes as shells make them. Node makes none: it gives a child sockets, and on Linux these cannot be opened once more, so a script that
 * prints to `/dev/stderr` by its name would fail. A shell makes a few; whoever took hold of one opens it again and again, also when the
 * shell is gone, and once all have closed it, it is empty.
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
  /** For a child. Whoever took the pipe closes it. */
  writeEnd: number;
  /** Ends when nobody can write any more. */
  readEnd: Readable;
}

/** A shell that makes some. */
interface PipeMaker {
  pid: number | undefined;
  /** Whether there are more than before. */
  taken: Promise<boolean>;
  /** Takes hold of what it has made, once. */
  take(): void;
}

const numbers = [6, 7, 8, 9];
const each = (text: (number: number) => string): string => numbers.map(text).join("");
/** Where the shell goes once it has made them. */
const doneIn = "/proc";
/** Shells keep a here-document in a pipe, but bash before 5.1 in a file: it makes pipes for process substitution, once it need not be POSIX. */
const script = `if [ -n "$BASH_VERSION" ];then set +o posix;eval 'exec${each((number) => ` ${number}> >(:)`)}'
else exec${each((number) => ` ${number}<<E`)}${each(() => "\n\nE")}
fi;cd ${doneIn};echo;read _`;
const longestMs = 5_000;

/** O_PATH, which Node has no name for: whoever holds a pipe so neither reads nor writes. */
const heldOnly = 0o10000000;
const mostIdle = 8;
const idle: number[] = [];
const keepers = new Set<object>();
let making: PipeMaker | undefined;
/** Each resolves when it is over. */
const shells = new Set<Promise<void>>();
let waiting = 0;
let canHave = canHavePipes();

/**
 * Not in a worker thread: at its end Node closes the number of all that was opened in it, also where a socket has closed that
 * before, and by then it may be another thread's. And not in Bun, whose sockets read nothing from a number they are given.
 */
export function canHavePipes(versions: NodeJS.ProcessVersions = process.versions): boolean {
  return isMainThread && versions["bun"] === undefined && hasOwnProc();
}

/** Whoever starts many keeps pipes for the next ones, and says so once it has started the last. What that answers resolves when no shell is left. */
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

/** Begins what `takeShellPipes` would have to wait for. Calls for a keeper: what nobody takes is let go of by the last of these. */
export function makeShellPipesAhead(): void {
  if (canHave && idle.length < 2) making ??= startShell();
}

/** Of a pipe that is empty, and that nobody writes to. */
function keep(holder: number): void {
  if (idle.length < mostIdle) idle.push(holder);
  else closeSync(holder);
}

/** For what one child prints; undefined where there are none to be had. */
export async function takeShellPipes(): Promise<[ShellPipe, ShellPipe] | undefined> {
  waiting += 1;
  try {
    while (canHave && idle.length < 2) {
      const shell = (making ??= startShell());
      // One that was begun ahead may long be done, while this process was too busy to hear of it.
      if (linkOf(`/proc/${shell.pid}/cwd`) === doneIn) shell.take();
      if (!(await shell.taken)) return undefined;
    }
  } finally {
    waiting -= 1;
  }
  return openedPair([idle.pop(), idle.pop()]);
}

/** The same without waiting: of those that are at hand. */
export function idleShellPipes(): [ShellPipe, ShellPipe] | undefined {
  return idle.length < 2 ? undefined : openedPair([idle.pop(), idle.pop()]);
}

/** Those that a shell has open for reading under these two numbers, once it waits. */
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
    // A shell that could not be started may be another time; one that has no pipes never has.
    if (pid !== undefined) canHave = false;
    finish([]);
  };
  // The time limit that spawn() has would go on where the shell cannot be started, and keep this process until then.
  const timer = setTimeout(killStarted, longestMs, child);
  const over = new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      giveUp();
      // What is left of it is closed in the same turn of the event loop.
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

/** What a shell wrote into it to have it made is read off. */
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
    // There is nothing in it.
  }
  closeSync(reading);
  return holder;
}

/** Undefined where there is none, or it is not ours to look into. */
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

/** Undefined where no more files can be opened. */
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

/** What nobody can write to any more serves the next one. */
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
