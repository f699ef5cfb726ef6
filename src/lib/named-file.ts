/** Reads a file that the user named, to its end: waits for a pipe (`<(…)`), and stops reading endless files at the limit. */
import { closeSync, openSync, readSync } from "node:fs";
import { decodeByBom } from "./decode-by-bom.ts";

const pieceBytes = 65_536;

/** Undefined if the file is longer. Throws the system's error. */
export function readNamedFile(path: string, mostBytes: number): string | undefined {
  const descriptor = openSync(path, "r");
  try {
    const pieces: Uint8Array[] = [];
    for (let length = 0; length <= mostBytes;) {
      const piece = Buffer.allocUnsafe(pieceBytes);
      const count = readSync(descriptor, piece);
      if (count === 0) return decodeByBom(Buffer.concat(pieces));
      pieces.push(piece.subarray(0, count));
      length += count;
    }
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}
