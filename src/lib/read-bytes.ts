/** Reads a part of an open file: the system may give fewer bytes at once than it is asked for. */
import { readSync } from "node:fs";

/** Returns `length` bytes from `position` on, or fewer if the file ends before. Throws the system's error. */
export function readBytes(descriptor: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < bytes.length) {
    const count = readSync(descriptor, bytes, filled, bytes.length - filled, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}
