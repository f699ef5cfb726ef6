/** Finds lines by how they begin, from the end of a file: resume reads nothing older than the last boundary, a list no more than it shows. */
import { readInto } from "./file-io.ts";
import type { TranscriptFileSystem } from "./file-system.ts";
import { boundaryLineStart } from "./record.ts";

const chunkBytes = 1024 * 1024;

/** Offsets at which a line begins like a boundary's, from the last to the first. The caller parses and judges them. */
export function boundaryOffsets(fs: TranscriptFileSystem, descriptor: number, size: number): Generator<number> {
  return lineOffsets(fs, descriptor, size, [boundaryLineStart]);
}

/** The same of lines that begin in one of several ways, none the beginning of another. The first line of the file is not among them. */
export function* lineOffsets(
  fs: TranscriptFileSystem,
  descriptor: number,
  size: number,
  starts: readonly string[],
): Generator<number> {
  const marks = starts.map((start) => Buffer.from(`\n${start}`));
  const longest = Math.max(...marks.map(({ length }) => length));
  const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, size) + longest);
  for (let end = size; end > 0;) {
    const from = Math.max(0, end - chunkBytes);
    // Past `end` by a mark's length: a mark that crosses the chunk's border belongs to the chunk it begins in.
    const read = readInto(fs, descriptor, chunk, from, Math.min(size, end + longest - 1));
    const found = marks.flatMap((mark) => offsetsIn(chunk.subarray(0, read), mark, end - from));
    for (const at of found.toSorted((one, other) => other - one)) yield from + at + 1;
    end = from;
  }
}

/** Where `mark` begins in `view`, before `end`. */
function offsetsIn(view: Buffer, mark: Buffer, end: number): number[] {
  const found: number[] = [];
  for (let at = view.indexOf(mark); at >= 0 && at < end; at = view.indexOf(mark, at + 1)) found.push(at);
  return found;
}
