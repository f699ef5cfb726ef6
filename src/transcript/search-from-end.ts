/** Finds lines by their first bytes, from the end of a file: resume reads nothing before the last boundary, a list only what it shows. */
import { readInto } from "./file-io.ts";
import type { TranscriptFileSystem } from "./file-system.ts";
import { eachLine } from "./lines.ts";
import { tryParseRecord } from "./parse.ts";
import type { TranscriptRecord } from "./record.ts";

const chunkBytes = 256 * 1024;
const newline = 0x0a;

/**
 * Yields the offsets of lines that begin with one of `starts`, from last to first. No start may be the beginning of another. The caller
 * parses and judges the lines. The first line of the file is never yielded.
 */
export function* findLinesFromEnd(
  fs: TranscriptFileSystem,
  descriptor: number,
  size: number,
  starts: readonly string[],
): Generator<number> {
  const prefixes = starts.map((start) => Buffer.from(`\n${start}`));
  const longest = Math.max(...prefixes.map(({ length }) => length));
  const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, size) + longest);
  for (let end = size; end > 0;) {
    const from = Math.max(0, end - chunkBytes);
    // Read beyond `end` by the length of a prefix: one that crosses a chunk border belongs to the chunk it begins in.
    const read = readInto(fs, descriptor, chunk, from, Math.min(size, end + longest - 1));
    for (const at of lineEnds(chunk.subarray(0, Math.min(read, end - from))))
      if (
        prefixes.some((prefix) => chunk.compare(prefix, 0, prefix.length, at, Math.min(at + prefix.length, read)) === 0)
      )
        yield from + at + 1;
    end = from;
  }
}

/** Yields line ends from last to first. Looks at each byte once, however many prefixes there are. */
function* lineEnds(view: Buffer): Generator<number> {
  for (let at = view.lastIndexOf(newline); at >= 0; at = at === 0 ? -1 : view.lastIndexOf(newline, at - 1)) yield at;
}

/** Returns the record whose line begins at `offset`; undefined if it cannot be read. */
export function recordAt(
  fs: TranscriptFileSystem,
  descriptor: number,
  offset: number,
  size: number,
): TranscriptRecord | undefined {
  let record: TranscriptRecord | undefined;
  eachLine(fs, descriptor, { from: offset, to: size }, ({ bytes }) => {
    record = tryParseRecord(bytes);
    return false;
  });
  return record;
}
