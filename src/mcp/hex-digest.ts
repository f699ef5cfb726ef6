import { createHash } from "node:crypto";

/** The SHA-256 of the text in hexadecimal digits: its first `length`, or all 64. */
export function hexDigest(text: string, length = 64): string {
  return createHash("sha256").update(text).digest("hex").slice(0, length);
}
