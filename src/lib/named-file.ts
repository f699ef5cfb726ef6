/** Reads a file that someone named, to its end: a pipe (`<(…)`) is waited for, and what has no end is left where it grows too long. */
import { closeSync, openSync, readSync } from "node:fs";
import { markedText } from "./marked-text.ts";

const pieceBytes = 65_536;

/** Undefined where it is longer. Throws what the system says. */
export function readNamedFile(path: string, mostBytes: number): string | undefined {
  const descriptor = openSync(path, "r");
  try {
    const pieces: Uint8Array[] = [];
    for (let length = 0; length <= mostBytes;) {
      const piece = Buffer.allocUnsafe(pieceBytes);
      const count = readSync(descriptor, piece);
      if (count === 0) return markedText(Buffer.concat(pieces));
      pieces.push(piece.subarray(0, count));
      length += count;
    }
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}
