/** Reads the lines of a file forwards from an offset, in bounded memory. */
import { readInto } from "./file-io.ts";
import type { TranscriptFileSystem } from "./file-system.ts";
import { maximumLineBytes } from "./record.ts";

export interface Line {
  /** The line without its line feed. Undefined if it is longer than allowed. Valid only during the visit. */
  bytes: Buffer | undefined;
  /** Offset of the line in the file. */
  offset: number;
  length: number;
  /** False for a last line without a line feed. */
  hasLineFeed: boolean;
}

const chunkBytes = 1024 * 1024;
const lineFeed = 10;
const carriageReturn = 13;

export interface LineRange {
  /** Default: the beginning of the file. */
  from?: number;
  /** Default: its current end. */
  to?: number;
  /** The longest line that is read. Default: the limit for a record. */
  maximumBytes?: number;
}

/** Visits each line of the range; stops if `visit` returns `false`. */
export function eachLine(
  fs: TranscriptFileSystem,
  descriptor: number,
  { from = 0, to = fs.status(descriptor).size, maximumBytes = maximumLineBytes }: LineRange,
  visit: (line: Line) => boolean | void,
): void {
  const chunk = Buffer.allocUnsafe(Math.max(1, Math.min(chunkBytes, to - from)));
  let pieces: Buffer[] = [];
  let offset = from;
  let length = 0;
  const finish = (last: Buffer, hasLineFeed: boolean): boolean => {
    const whole = length + last.length;
    const bytes =
      whole > maximumBytes
        ? undefined
        : withoutCarriageReturn(pieces.length === 0 ? last : Buffer.concat([...pieces, last]));
    const goOn = visit({ bytes, offset, length: whole, hasLineFeed }) !== false;
    offset += whole + 1;
    pieces = [];
    length = 0;
    return goOn;
  };
  for (let position = from; position < to;) {
    const read = readInto(fs, descriptor, chunk, position, to);
    if (read === 0) break;
    let start = 0;
    for (let at = chunk.indexOf(lineFeed); at >= 0 && at < read; at = chunk.indexOf(lineFeed, start)) {
      if (!finish(chunk.subarray(start, at), true)) return;
      start = at + 1;
    }
    length += read - start;
    if (length > maximumBytes) pieces = [];
    else if (start < read) pieces.push(Buffer.from(chunk.subarray(start, read)));
    position += read;
  }
  if (length > 0) finish(Buffer.alloc(0), false);
}

function withoutCarriageReturn(bytes: Buffer): Buffer {
  return bytes.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes;
}

/** Compares bytes, without decoding the line. */
export function startsWithBytes(line: Buffer, start: Buffer): boolean {
  return line.length >= start.length && line.compare(start, 0, start.length, 0, start.length) === 0;
}
