/**
 * Pipes as shells make them. Node makes none: it gives a child sockets, and on Linux these cannot be opened once more, so a script that
 * prints to `/dev/stderr` by its name would fail. A shell makes a few; whoever took hold of one opens it again and again, also when the
 * shell is gone, and once all have closed it, it is empty.
 */
import { spawn } from "node:child_process";
import { closeSync, constants, openSync, readlinkSync } from "node:fs";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { hasPipes } from "./has-pipes.ts";

export interface ShellPipe {
  /** For a child. Whoever took the pipe closes it. */
  writeEnd: number;
  /** Ends when nobody can write any more. */
  readEnd: Readable;
}

const numbers = [6, 7, 8, 9];
const each = (text: (number: number) => string): string => numbers.map(text).join("");
/** Shells keep a here-document in a pipe, but bash before 5.1 in a file: it makes pipes for process substitution, once it need not be POSIX. */
const script = `if [ -n "$BASH_VERSION" ];then set +o posix;eval 'exec${each((number) => ` ${number}> >(:)`)}'
else exec${each((number) => ` ${number}<<E`)}${each(() => "\n\nE")}
fi;echo;read _`;
const longestMs = 5_000;

/** O_PATH, which Node has no name for: whoever holds a pipe so neither reads nor writes. */
const heldOnly = 0o10000000;
const mostIdle = 8;
const idle: number[] = [];
const keepers = new Set<object>();
let making: Promise<boolean> | undefined;
let canHave = process.platform === "linux";

/** Whoever starts many keeps pipes for the next ones, and says so once it has started the last. */
export function keepShellPipes(keeper: object): () => void {
  keepers.add(keeper);
  return () => {
    keepers.delete(keeper);
    closeUnkept();
  };
}

function closeUnkept(): void {
  if (keepers.size === 0) for (const holder of idle.splice(0)) closeSync(holder);
}

/** For what one child prints; undefined where there are none to be had. */
export async function takeShellPipes(): Promise<[ShellPipe, ShellPipe] | undefined> {
  while (canHave && idle.length < 2) {
    making ??= makePipes().finally(() => (making = undefined));
    if (!(await making)) return undefined;
  }
  const [stdout, stderr] = [opened(idle.pop()), opened(idle.pop())];
  if (stdout !== undefined && stderr !== undefined) return [stdout, stderr];
  for (const half of [stdout, stderr]) {
    if (half !== undefined) closeSync(half.writeEnd);
    half?.readEnd.destroy();
  }
  return undefined;
}

/** Whether there are more than before. */
async function makePipes(): Promise<boolean> {
  const child = spawn("/bin/sh", ["-c", script], {
    stdio: ["pipe", "pipe", "ignore"],
    cwd: "/",
    env: {},
    detached: true,
    timeout: longestMs,
    killSignal: "SIGKILL",
  });
  const ended = Promise.withResolvers<void>();
  child.on("error", () => ended.resolve());
  child.on("close", () => ended.resolve());
  let paths: string[] = [];
  let made: number[] = [];
  if (hasPipes(child)) {
    child.stdin.on("error", () => {});
    child.stdout.once("data", () => {
      paths = numbers.map((number) => `/proc/${child.pid}/fd/${number}`).filter(isPipe);
      made = paths.flatMap((path) => openedAs(path, heldOnly) ?? []);
      child.stdin.end();
    });
  }
  await ended.promise;
  idle.push(...made);
  // A shell that could not be started may be another time; one that has no pipes never has.
  if (child.pid !== undefined) canHave = paths.length > 0;
  return made.length > 0;
}

function isPipe(path: string): boolean {
  try {
    return readlinkSync(path).startsWith("pipe:");
  } catch {
    // There is no such file, or it is not ours to look into.
    return false;
  }
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
    if (isEmpty && idle.length < mostIdle) idle.push(holder);
    else closeSync(holder);
    closeUnkept();
  });
  return readEnd;
}
