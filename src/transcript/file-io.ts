/** Reads and writes complete ranges through a file system that may transfer less than requested. */
import { TranscriptError } from "./error.ts";
import type { TranscriptFileSystem } from "./file-system.ts";

export function openRegular(fs: TranscriptFileSystem, path: string, how: "append" | "read"): number {
  const descriptor = fs.open(path, how);
  let isFile = false;
  try {
    isFile = fs.status(descriptor).isFile;
  } finally {
    if (!isFile) fs.close(descriptor);
  }
  if (!isFile) throw notRegularError(path);
  return descriptor;
}

export function notRegularError(path: string): TranscriptError {
  const text = `${path} is not a plain file, so it is not used as a transcript. Put the file itself in its place.`;
  return new TranscriptError("not_regular", text);
}

/** Writes all bytes: the system may take fewer than it is given. */
export function writeAll(fs: TranscriptFileSystem, descriptor: number, bytes: Uint8Array): void {
  const { length } = bytes;
  let written = 0;
  while (written < length) written += writeSome(fs, descriptor, bytes, written, length);
}

/** Writes `bytes` between `from` and `to`, or fewer. Returns how many were written. */
export function writeSome(
  fs: TranscriptFileSystem,
  descriptor: number,
  bytes: Uint8Array,
  from: number,
  to: number,
): number {
  const count = fs.write(descriptor, bytes, from, to - from);
  if (count <= 0) throw new TranscriptError("io", "the system wrote nothing and named no error");
  return count;
}

export function readRange(fs: TranscriptFileSystem, descriptor: number, from: number, to: number): Buffer {
  const bytes = Buffer.alloc(to - from);
  return bytes.subarray(0, readInto(fs, descriptor, bytes, from, to));
}

/** Fills `bytes` with the file from `from` to `to`; with less if the file ends earlier. Returns the number of bytes. */
export function readInto(
  fs: TranscriptFileSystem,
  descriptor: number,
  bytes: Uint8Array,
  from: number,
  to: number,
): number {
  const wanted = Math.min(bytes.length, to - from);
  let length = 0;
  while (length < wanted) {
    const count = fs.read(descriptor, bytes, length, wanted - length, from + length);
    if (count <= 0) break;
    length += count;
  }
  return length;
}

/** Reads a plain file from its beginning, at most `maxBytes` bytes. */
export function readWholeFile(fs: TranscriptFileSystem, path: string, maxBytes = Infinity): Buffer {
  const descriptor = openRegular(fs, path, "read");
  try {
    return readRange(fs, descriptor, 0, Math.min(maxBytes, fs.status(descriptor).size));
  } finally {
    fs.close(descriptor);
  }
}

/** Writes a file that must not exist yet. */
export function writeNewFile(fs: TranscriptFileSystem, path: string, bytes: Uint8Array): void {
  const descriptor = fs.open(path, "create");
  try {
    writeAll(fs, descriptor, bytes);
  } finally {
    fs.close(descriptor);
  }
}

export interface FileReplacement {
  /** Of `draft`, which is empty. Closed in any case. */
  descriptor: number;
  /** In the folder of `path`. Removed if the replacement fails. */
  draft: string;
  path: string;
  /** Wait until the bytes are on the medium. */
  flush: boolean;
}

/** Writes a draft and renames it to its final path: a reader, or a crash, finds the old file or the new one. */
export function replaceFile(fs: TranscriptFileSystem, bytes: Uint8Array, replacement: FileReplacement): void {
  const { descriptor, draft, path, flush } = replacement;
  try {
    try {
      writeAll(fs, descriptor, bytes);
      if (flush) fs.sync(descriptor);
    } finally {
      fs.close(descriptor);
    }
    fs.rename(draft, path);
  } catch (error) {
    fs.remove(draft);
    throw error;
  }
}
