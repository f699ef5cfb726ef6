/** Random UUIDs, version 4. Node puts each of its own together of thirty strings, and a session makes many. */
import { randomFillSync } from "node:crypto";

const bytesOfOne = 16;
const random = Buffer.allocUnsafeSlow(128 * bytesOfOne);
let next = random.length;

const digits = Buffer.from("0123456789abcdef");
const text = Buffer.from("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx");
/** Of each byte's two digits. */
const places = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];

export function randomUuid(): string {
  if (next === random.length) {
    randomFillSync(random);
    next = 0;
  }
  random[next + 6] = (random[next + 6]! & 0x0f) | 0x40;
  random[next + 8] = (random[next + 8]! & 0x3f) | 0x80;
  for (let at = 0; at < bytesOfOne; at++) {
    const byte = random[next + at]!;
    const place = places[at]!;
    text[place] = digits[byte >> 4]!;
    text[place + 1] = digits[byte & 0x0f]!;
  }
  next += bytesOfOne;
  return text.toString("latin1");
}
