/** A digest of a file that may be anything: read in pieces, and never waiting for a pipe or a device. */
import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { reasonOf } from "./system-reason.ts";

export type FileDigest =
  | { kind: "digest"; digest: string; bytes: number }
  | { kind: "too_large" }
  | { kind: "unread"; why: string };

const pieceBytes = 1 << 20;

/** SHA-256 in hex. */
export function digestOfFile(path: string, mostBytes: number): FileDigest {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const status = fstatSync(descriptor);
    if (!status.isFile()) return { kind: "unread", why: "it is not a regular file" };
    if (status.size > mostBytes) return { kind: "too_large" };
    const hash = createHash("sha256");
    const piece = Buffer.alloc(Math.min(pieceBytes, status.size));
    for (let at = 0; at < status.size;) {
      const count = readSync(descriptor, piece, 0, piece.length, at);
      if (count === 0) break;
      hash.update(piece.subarray(0, count));
      at += count;
    }
    return { kind: "digest", digest: hash.digest("hex"), bytes: status.size };
  } catch (error) {
    return { kind: "unread", why: reasonOf(error) };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
