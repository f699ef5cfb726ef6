/** Encodes pixels as a PNG file with eight bits per sample, and without alpha if all are opaque. */
import { crc32, deflateSync } from "node:zlib";
import type { Picture } from "./picture.ts";
import { paeth } from "./png-read.ts";

export function writePng({ width, height, pixels }: Picture): Buffer {
  const channels = isOpaque(pixels) ? 3 : 4;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  header[9] = channels === 3 ? 2 : 6;
  const length = width * channels;
  const raw = new Uint8Array(height * (1 + length));
  let before = new Uint8Array(length);
  for (let y = 0; y < height; y++) {
    const row = new Uint8Array(length);
    for (let x = 0; x < width; x++)
      for (let c = 0; c < channels; c++) row[x * channels + c] = pixels[(y * width + x) * 4 + c]!;
    raw.set(bestFiltered(row, before, channels), y * (1 + length));
    before = row;
  }
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(raw)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function isOpaque(pixels: Uint8Array): boolean {
  for (let at = 3; at < pixels.length; at += 4) if (pixels[at] !== 255) return false;
  return true;
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(content.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}

/** Chooses no filter, left or Paeth, whichever gives the smallest differences: a heuristic from section 12.7 of the specification. */
function bestFiltered(row: Uint8Array, before: Uint8Array, step: number): Uint8Array {
  const length = row.length;
  const candidates = [0, 1, 4].map((filter) => {
    const line = new Uint8Array(1 + length);
    line[0] = filter;
    let sum = 0;
    for (let at = 0; at < length; at++) {
      const left = at < step ? 0 : row[at - step]!;
      const guess =
        filter === 0 ? 0 : filter === 1 ? left : paeth(left, before[at]!, at < step ? 0 : before[at - step]!);
      const value = (row[at]! - guess) & 0xff;
      line[1 + at] = value;
      sum += value < 128 ? value : 256 - value;
    }
    return { line, sum };
  });
  return candidates.reduce((best, each) => (each.sum < best.sum ? each : best)).line;
}
