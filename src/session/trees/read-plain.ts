/** Reads one regular file, never through a link. */
import { closeSync, constants, fstatSync, openSync, type Stats } from "node:fs";
import { systemPath } from "../../lib/file-name.ts";
import { readBytes } from "../../lib/read-bytes.ts";

export interface PlainFile {
  bytes: Buffer;
  /** The status of the opened file before it was read. */
  stats: Stats;
  after: Stats;
}

const openFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Returns undefined if the path cannot be read, is not a regular file, or has more than `maxBytes`. */
export function readPlainFile(path: string, maxBytes: number): PlainFile | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(systemPath(path), openFlags);
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size > maxBytes) return undefined;
    const bytes = readBytes(descriptor, 0, stats.size);
    return { bytes, stats, after: fstatSync(descriptor) };
  } catch {
    // A file that cannot be read is not covered; this is reported where it matters.
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Whether somebody wrote to the file meanwhile. */
export function isTorn({ bytes, stats, after }: PlainFile): boolean {
  return bytes.length !== after.size || stats.mtimeMs !== after.mtimeMs || stats.ctimeMs !== after.ctimeMs;
}
