/** Opens regular files and nothing else: a FIFO cannot hang the session, a device is not touched. */
import { closeSync, constants, fstatSync, openSync, read, readSync, statSync, type Stats } from "node:fs";
import { promisify } from "node:util";
import { MovedError, openAt } from "../lib/held-place.ts";
import { ToolError } from "./failure.ts";

export interface OpenedFile {
  /** Absolute. */
  path: string;
  /** For messages. */
  name: string;
  descriptor: number;
  stats: Stats;
  /** Where it lies, without a link; undefined where that was not judged. */
  place?: string | undefined;
}

const readAsync = promisify(read);
/** Up to this size a file is read in one go, without a round through the thread pool. */
export const smallFile = 1 << 20;

function kindOf(stats: Stats): string {
  if (stats.isFIFO()) return "a named pipe";
  if (stats.isSocket()) return "a socket";
  if (stats.isCharacterDevice() || stats.isBlockDevice()) return "a device";
  return "not a regular file";
}

/** Throws a `ToolError` for what is no regular file. */
export function assertRegular(stats: Stats, name: string, verb: string): void {
  if (stats.isFile()) return;
  if (stats.isDirectory()) {
    throw new ToolError(`${name} is a directory, not a file. List it with Glob, or with ls in Bash.`);
  }
  throw new ToolError(`${name} is ${kindOf(stats)}: only regular files can be ${verb}.`);
}

export interface WantedFile {
  /** Absolute. */
  path: string;
  /** For messages. */
  name: string;
  /** Where it has to lie, without a link; undefined: wherever it is; null: that could not be told, so nowhere. */
  place: string | null | undefined;
}

const flags = constants.O_RDONLY | constants.O_NOCTTY | constants.O_NONBLOCK;

/** Opens it; whoever asked closes it. Errors of the file system come through as they are, and a `MovedError` for one that is elsewhere. */
export function openWanted({ path, name, place }: WantedFile): OpenedFile {
  // Opening some devices has effects of its own, so the look comes first; the look after it cannot be raced. Neither goes
  // through the thread pool: waking a thread takes longer than the call.
  assertRegular(statSync(path), name, "read");
  if (place === null) throw new MovedError(path);
  const descriptor = place === undefined ? openSync(path, flags) : openAt(path, place, flags);
  try {
    const stats = fstatSync(descriptor);
    assertRegular(stats, name, "read");
    return { path, name, descriptor, stats, place };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** The first `most` bytes, or all there are. Blocks, so `most` is to be small. */
export function readHead(file: OpenedFile, most: number): Buffer {
  // Files of /proc say they hold nothing.
  const expected = file.stats.size === 0 ? most : Math.min(most, file.stats.size);
  const buffer = Buffer.allocUnsafe(expected);
  let filled = 0;
  while (filled < expected) {
    const count = readSync(file.descriptor, buffer, filled, expected - filled, filled);
    if (count === 0) break;
    filled += count;
  }
  return buffer.subarray(0, filled);
}

/** All bytes. The caller has checked the size. */
export async function readWhole(file: OpenedFile, signal: AbortSignal): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(file.stats.size);
  let filled = 0;
  while (filled < buffer.length) {
    signal.throwIfAborted();
    const { bytesRead } = await readAsync(
      file.descriptor,
      buffer,
      filled,
      Math.min(smallFile, buffer.length - filled),
      filled,
    );
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** The file in pieces; each is valid until the next is asked for. */
export async function* readPieces(file: OpenedFile, signal: AbortSignal): AsyncGenerator<Buffer, void> {
  const buffer = Buffer.allocUnsafe(smallFile / 4);
  let at = 0;
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await readAsync(file.descriptor, buffer, 0, buffer.length, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
