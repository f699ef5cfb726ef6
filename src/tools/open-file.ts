/** Opens regular files only: a FIFO cannot hang the session, and a device is not touched. */
import { closeSync, constants, fstatSync, openSync, read, statSync, type Stats } from "node:fs";
import { promisify } from "node:util";
import { MovedError, openVerified } from "../lib/held-folder.ts";
import { readBytes } from "../lib/read-bytes.ts";
import { ToolError } from "./failure.ts";

export interface OpenedFile {
  /** Absolute. */
  path: string;
  /** The file's name for messages. */
  name: string;
  descriptor: number;
  stats: Stats;
  /** The file's real path, without links; undefined if the place was not judged. */
  place?: string | undefined;
}

const readAsync = promisify(read);
/** Files up to this size are read in one synchronous call, without a round trip through the thread pool. */
export const smallFileBytes = 1 << 20;

function fileKind(stats: Stats): string {
  if (stats.isFIFO()) return "a named pipe";
  if (stats.isSocket()) return "a socket";
  if (stats.isCharacterDevice() || stats.isBlockDevice()) return "a device";
  return "not a regular file";
}

/** Throws a `ToolError` if this is not a regular file. */
export function assertRegular(stats: Stats, name: string, verb: string): void {
  if (stats.isFile()) return;
  if (stats.isDirectory()) {
    throw new ToolError(`${name} is a directory, not a file. List it with Glob, or with ls in Bash.`);
  }
  throw new ToolError(`${name} is ${fileKind(stats)}: only regular files can be ${verb}.`);
}

export interface FileToOpen {
  /** Absolute. */
  path: string;
  /** The file's name for messages. */
  name: string;
  /** The real path the file must have. Undefined: any place is fine. Null: the place could not be determined, so opening is refused. */
  place: string | null | undefined;
}

const flags = constants.O_RDONLY | constants.O_NOCTTY | constants.O_NONBLOCK;

/** Opens the file; the caller closes it. File system errors pass through; throws a `MovedError` if the file is elsewhere. */
export function openRegularFile({ path, name, place }: FileToOpen): OpenedFile {
  // Opening some devices has side effects, so check first; the check after opening is free of races. Neither uses the
  // thread pool: waking a thread takes longer than the call.
  assertRegular(statSync(path), name, "read");
  if (place === null) throw new MovedError(path);
  const descriptor = place === undefined ? openSync(path, flags) : openVerified(path, place, flags);
  try {
    const stats = fstatSync(descriptor);
    assertRegular(stats, name, "read");
    return { path, name, descriptor, stats, place };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** Returns the first `maxBytes` bytes, or the whole file if it is shorter. Blocks, so `maxBytes` should be small. */
export function readHead(file: OpenedFile, maxBytes: number): Buffer {
  // Files in /proc report a size of 0.
  const expected = file.stats.size === 0 ? maxBytes : Math.min(maxBytes, file.stats.size);
  return readBytes(file.descriptor, 0, expected);
}

/** Returns all bytes. The caller must have checked the size. */
export async function readWhole(file: OpenedFile, signal: AbortSignal): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(file.stats.size);
  let filled = 0;
  while (filled < buffer.length) {
    signal.throwIfAborted();
    const { bytesRead } = await readAsync(
      file.descriptor,
      buffer,
      filled,
      Math.min(smallFileBytes, buffer.length - filled),
      filled,
    );
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** Yields the file in pieces; each piece is valid until the next is requested. */
export async function* readPieces(file: OpenedFile, signal: AbortSignal): AsyncGenerator<Buffer, void> {
  const buffer = Buffer.allocUnsafe(smallFileBytes / 4);
  let at = 0;
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await readAsync(file.descriptor, buffer, 0, buffer.length, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
