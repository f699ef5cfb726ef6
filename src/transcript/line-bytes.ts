/** Builds a line's bytes piece by piece: a single string would be copied twice more on its way to the file and then be garbage. */

/** One line that is not assembled yet. */
export interface UnwrittenLine {
  /** Everything before the fields, except for the comma. */
  readonly head: readonly string[];
  /** JSON of a non-empty object, whose fields come last in the line. */
  readonly fields: string;
  /** Length in UTF-16 units, without the line feed. */
  readonly length: number;
}

export interface LineBytes {
  /** The line is at the start of the buffer. */
  bytes: Buffer;
  /** Length in bytes, including the line feed. */
  length: number;
}

const lineFeed = 0x0a;
const comma = 0x2c;
/** Used only within one call, so that most lines need no memory of their own. */
const scratch = Buffer.allocUnsafeSlow(64 * 1024);

export function composeLine(head: readonly string[], fields: string): UnwrittenLine {
  let length = fields.length;
  for (let at = 0; at < head.length; at++) length += head[at]!.length;
  return { head, fields, length };
}

/** Returns the line with a line feed, and one before it if `startsWithLineFeed`. The result is valid until the next line is built. */
export function lineBytes(line: UnwrittenLine, startsWithLineFeed: boolean): LineBytes {
  // UTF-8 takes at most three bytes per UTF-16 unit, and there may be two line feeds.
  const bytes = 3 * line.length + 2 <= scratch.length ? scratch : Buffer.allocUnsafe(byteLength(line) + 2);
  let end = 0;
  if (startsWithLineFeed) bytes[end++] = lineFeed;
  for (let at = 0; at < line.head.length; at++) end = writeText(bytes, line.head[at]!, end);
  // The fields continue the object, so a comma replaces their opening brace.
  const brace = end;
  end += bytes.write(line.fields, end);
  bytes[brace] = comma;
  bytes[end++] = lineFeed;
  return { bytes, length: end };
}

/** Returns the line without a line feed. */
export function lineText({ head, fields }: UnwrittenLine): string {
  return `${head.join("")},${fields.slice(1)}`;
}

/** Whether the line with its line feed has more than `limit` bytes. They are counted only if the number of characters leaves it open. */
export function isLineLongerThan(line: UnwrittenLine, limit: number): boolean {
  return 3 * line.length >= limit && (line.length >= limit || byteLength(line) >= limit);
}

function byteLength({ head, fields }: UnwrittenLine): number {
  let length = Buffer.byteLength(fields);
  for (const piece of head) length += Buffer.byteLength(piece);
  return length;
}

/** Returns the end offset. A system library call for each of these short texts would take longer than this loop. */
function writeText(bytes: Buffer, piece: string, start: number): number {
  for (let at = 0; at < piece.length; at++) {
    const code = piece.charCodeAt(at);
    if (code > 0x7f) return start + bytes.write(piece, start);
    bytes[start + at] = code;
  }
  return start + piece.length;
}
