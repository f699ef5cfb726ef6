/**
 * A line as the bytes that are written. They are put down piece by piece: a text of all of them would be copied twice more on
 * its way to the file, and be garbage then.
 */

/** One line, not put together yet. */
export interface Line {
  /** All before the fields, but for the comma. */
  readonly head: readonly string[];
  /** JSON of an object that is not empty. Its fields come last. */
  readonly fields: string;
  /** UTF-16 units, without the line feed. */
  readonly length: number;
}

export interface LineBytes {
  /** The line is at its beginning. */
  bytes: Buffer;
  /** With the line feed. */
  length: number;
}

const lineFeed = 0x0a;
const comma = 0x2c;
/** Written and used up within one call: most lines need no memory of their own. */
const scratch = Buffer.allocUnsafeSlow(64 * 1024);

export function lineOf(head: readonly string[], fields: string): Line {
  let length = fields.length;
  for (let at = 0; at < head.length; at++) length += head[at]!.length;
  return { head, fields, length };
}

/** With a line feed, and with one before it where `isSetOff`. What is answered holds until the next line is made. */
export function lineBytes(line: Line, isSetOff = false): LineBytes {
  // UTF-8 takes at most three bytes for a UTF-16 unit; a line feed may stand on either side.
  const bytes = 3 * line.length + 2 <= scratch.length ? scratch : Buffer.allocUnsafe(byteLength(line) + 2);
  let end = 0;
  if (isSetOff) bytes[end++] = lineFeed;
  for (let at = 0; at < line.head.length; at++) end = put(bytes, line.head[at]!, end);
  // The fields go on with the object: the comma is put in the place of their brace.
  const brace = end;
  end += bytes.write(line.fields, end);
  bytes[brace] = comma;
  bytes[end++] = lineFeed;
  return { bytes, length: end };
}

/** Without a line feed. */
export function lineText({ head, fields }: Line): string {
  return `${head.join("")},${fields.slice(1)}`;
}

/** Whether it has that many bytes with its line feed, and more. They are counted only where the number of characters leaves it open. */
export function isLonger(line: Line, limit: number): boolean {
  return 3 * line.length >= limit && (line.length >= limit || byteLength(line) >= limit);
}

function byteLength({ head, fields }: Line): number {
  let length = Buffer.byteLength(fields);
  for (const piece of head) length += Buffer.byteLength(piece);
  return length;
}

/** Answers where it ends. A call of the system's library for each of these short texts would take longer than to copy them. */
function put(bytes: Buffer, piece: string, start: number): number {
  for (let at = 0; at < piece.length; at++) {
    const code = piece.charCodeAt(at);
    if (code > 0x7f) return start + bytes.write(piece, start);
    bytes[start + at] = code;
  }
  return start + piece.length;
}
