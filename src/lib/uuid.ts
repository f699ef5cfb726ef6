/**
 * Random UUIDs (RFC 9562, version 4), each a flat string. Those of Node.js are joined from many pieces, and the first access copies the
 * text, so an id that goes into a line and a set takes three times the memory.
 */
import { randomFillSync } from "node:crypto";

const uuidBytes = 16;
const uuidLength = 36;
/** The number of UUIDs made at once. */
const batchSize = 128;
const dash = 0x2d;
const random = Buffer.allocUnsafeSlow(uuidBytes * batchSize);
const texts = Buffer.allocUnsafeSlow(uuidLength * batchSize);
const digits = Buffer.from("0123456789abcdef");
let remaining = 0;

export function uuid(): string {
  if (remaining === 0) fillBatch();
  const start = --remaining * uuidLength;
  return texts.toString("latin1", start, start + uuidLength);
}

function fillBatch(): void {
  randomFillSync(random);
  let end = 0;
  for (let at = 0; at < random.length; at++) {
    const place = at % uuidBytes;
    let byte = random[at]!;
    if (place === 6) byte = (byte & 0x0f) | 0x40;
    if (place === 8) byte = (byte & 0x3f) | 0x80;
    if (place === 4 || place === 6 || place === 8 || place === 10) texts[end++] = dash;
    texts[end++] = digits[byte >> 4]!;
    texts[end++] = digits[byte & 0x0f]!;
  }
  remaining = batchSize;
}
