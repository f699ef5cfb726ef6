/** Repairs the end of a file whose last line has no line feed: it is complete after all, or torn and set aside. */
import { TranscriptError } from "./error.ts";
import { systemCode } from "../lib/system-reason.ts";
import type { TranscriptFileSystem } from "./file-system.ts";
import { readInto, readRange, writeAll } from "./file-io.ts";
import { tornTailPath } from "./paths.ts";
import { maximumLineBytes } from "./record.ts";
import { parseRecord } from "./parse.ts";

export type TailRepair =
  | { kind: "clean" }
  /** The last record was complete except for its line feed. */
  | { kind: "completed" }
  | { kind: "set_aside"; path: string; bytes: number }
  /** The tail could not be set aside: it stays as one line that readers skip. */
  | { kind: "closed_off"; bytes: number };

/** Most lines fit into the first chunk. It is small, because some searches look at the last lines of thousands of files. */
const firstChunkBytes = 4 * 1024;
const chunkBytes = 64 * 1024;
const lineFeed = 10;

/** `descriptor` is open for reading and appending. Throws the system's error if nothing could be repaired. */
export function repairTail(fs: TranscriptFileSystem, descriptor: number, path: string): TailRepair {
  const size = fs.status(descriptor).size;
  const start = lastLineStart(fs, descriptor, size);
  const bytes = size - start;
  if (bytes === 0) return { kind: "clean" };
  const tail = bytes <= maximumLineBytes ? readRange(fs, descriptor, start, size) : undefined;
  if (tail !== undefined && isCompleteRecord(tail)) {
    writeAll(fs, descriptor, Buffer.of(lineFeed));
    return { kind: "completed" };
  }
  const aside = tail === undefined ? undefined : saveTornTail(fs, path, tail);
  if (aside === undefined) {
    writeAll(fs, descriptor, Buffer.of(lineFeed));
    return { kind: "closed_off", bytes };
  }
  fs.truncate(descriptor, start);
  return { kind: "set_aside", path: aside, bytes };
}

function isCompleteRecord(line: Buffer): boolean {
  const parsed = parseRecord(line);
  return parsed.ok || parsed.unknown === true;
}

/** Offset of the text after the last line feed; `size` if the file ends with one. */
export function lastLineStart(fs: TranscriptFileSystem, descriptor: number, size: number): number {
  let chunk = Buffer.allocUnsafe(Math.min(firstChunkBytes, size));
  let end = size;
  while (end > 0) {
    const from = Math.max(0, end - chunk.length);
    const length = readInto(fs, descriptor, chunk, from, end);
    const at = chunk.subarray(0, length).lastIndexOf(lineFeed);
    if (at >= 0) return from + at + 1;
    end = from;
    if (chunk.length < chunkBytes) chunk = Buffer.allocUnsafe(Math.min(chunkBytes, size));
  }
  return 0;
}

function saveTornTail(fs: TranscriptFileSystem, path: string, tail: Uint8Array): string | undefined {
  for (let n = 1; n <= 100; n++) {
    const target = tornTailPath(path, n);
    try {
      copyTo(fs, target, tail);
      return target;
    } catch (error) {
      if (systemCode(error) === "EEXIST") continue;
      if (systemCode(error) === undefined && !(error instanceof TranscriptError)) throw error;
      return undefined;
    }
  }
  return undefined;
}

function copyTo(fs: TranscriptFileSystem, target: string, bytes: Uint8Array): void {
  const descriptor = fs.open(target, "create");
  let done = false;
  try {
    writeAll(fs, descriptor, bytes);
    done = true;
  } finally {
    fs.close(descriptor);
    if (!done) fs.remove(target);
  }
}
