/** Finds compact boundaries from the end of a file, so that resume reads nothing older than the last one. */
import { readInto } from "./file-io.ts";
import type { TranscriptFileSystem } from "./file-system.ts";
import { boundaryLineStart } from "./record.ts";

const chunkBytes = 1024 * 1024;
const mark = Buffer.from(`\n${boundaryLineStart}`);

/** Offsets at which a line begins like a boundary's, from the last to the first. The caller parses and judges them. */
export function* boundaryOffsets(fs: TranscriptFileSystem, descriptor: number, size: number): Generator<number> {
  const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, size) + mark.length);
  for (let end = size; end > 0;) {
    const from = Math.max(0, end - chunkBytes);
    // Past `end` by a mark's length: a mark that crosses the chunk's border belongs to the chunk it begins in.
    const read = readInto(fs, descriptor, chunk, from, Math.min(size, end + mark.length - 1));
    const view = chunk.subarray(0, read);
    for (let at = view.lastIndexOf(mark); at >= 0; at = at === 0 ? -1 : view.lastIndexOf(mark, at - 1))
      yield from + at + 1;
    end = from;
  }
}
