/** Reading and writing whole ranges through a file system that may do less than it is asked for. */
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
  if (!isFile) throw notRegular(path);
  return descriptor;
}

export function notRegular(path: string): TranscriptError {
  const text = `${path} is not a plain file, so it is not used as a transcript. Put the file itself in its place.`;
  return new TranscriptError("not_regular", text);
}

/** The system may take less than it is given: goes on until all is written. */
export function writeAll(fs: TranscriptFileSystem, descriptor: number, bytes: Uint8Array): void {
  const { length } = bytes;
  let written = 0;
  while (written < length) written += writeSome(fs, descriptor, bytes, written, length);
}

/** From `from` up to `to`, or less. Answers how much. */
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

/** Fills `bytes` from `from` up to `to`; less where the file ends before. */
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

/** A plain file from its beginning, as much of it as `most`. */
export function readWhole(fs: TranscriptFileSystem, path: string, most = Infinity): Buffer {
  const descriptor = openRegular(fs, path, "read");
  try {
    return readRange(fs, descriptor, 0, Math.min(most, fs.status(descriptor).size));
  } finally {
    fs.close(descriptor);
  }
}

/** A file that must not be there yet. */
export function writeNew(fs: TranscriptFileSystem, path: string, bytes: Uint8Array): void {
  const descriptor = fs.open(path, "create");
  try {
    writeAll(fs, descriptor, bytes);
  } finally {
    fs.close(descriptor);
  }
}
