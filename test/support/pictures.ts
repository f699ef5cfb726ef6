/** Makes picture files: PNG of every kind in the plainest way, and JPEG with the bundled encoder. */
import { crc32, deflateSync } from "node:zlib";
import { encode } from "jpeg-js";

export interface PngKind {
  width: number;
  height: number;
  /** The colour type of the IHDR chunk. */
  type: 0 | 2 | 3 | 4 | 6;
  depth: 1 | 2 | 4 | 8 | 16;
  interlaced?: boolean;
  /** The filter of row y. */
  filter?: (y: number) => number;
  palette?: Uint8Array;
  transparency?: Uint8Array;
}

export const channelsOf = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const;

const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** `sample(x, y, channel)` returns a value of `depth` bits. */
export function pngFile(kind: PngKind, sample: (x: number, y: number, channel: number) => number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(kind.width, 0);
  header.writeUInt32BE(kind.height, 4);
  header[8] = kind.depth;
  header[9] = kind.type;
  header[12] = kind.interlaced === true ? 1 : 0;
  const rows: Buffer[] = [];
  for (const [x0, y0, dx, dy] of kind.interlaced === true ? passes : [[0, 0, 1, 1] as const]) {
    let before: Buffer | undefined;
    if (x0 >= kind.width) continue;
    for (let y = y0; y < kind.height; y += dy) {
      const row = packRow(kind, x0, dx, (x, channel) => sample(x, y, channel));
      rows.push(filterRow(kind, row, before ?? Buffer.alloc(row.length), kind.filter?.(y) ?? 0));
      before = row;
    }
  }
  const parts = [Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", header)];
  if (kind.palette !== undefined) parts.push(chunk("PLTE", Buffer.from(kind.palette)));
  if (kind.transparency !== undefined) parts.push(chunk("tRNS", Buffer.from(kind.transparency)));
  const data = deflateSync(Buffer.concat(rows), { level: 1 });
  const half = data.length >> 1;
  parts.push(chunk("IDAT", data.subarray(0, half)), chunk("IDAT", data.subarray(half)), chunk("IEND", Buffer.alloc(0)));
  return Buffer.concat(parts);
}

function packRow(
  { width, type, depth }: PngKind,
  x0: number,
  dx: number,
  sample: (x: number, channel: number) => number,
): Buffer {
  const channels = channelsOf[type];
  const bits: number[] = [];
  for (let x = x0; x < width; x += dx)
    for (let channel = 0; channel < channels; channel++) {
      const value = sample(x, channel);
      for (let bit = depth - 1; bit >= 0; bit--) bits.push((value >> bit) & 1);
    }
  const row = Buffer.alloc(Math.ceil(bits.length / 8));
  for (const [at, bit] of bits.entries()) row[at >> 3]! |= bit << (7 - (at & 7));
  return row;
}

function filterRow({ type, depth }: PngKind, row: Buffer, before: Buffer, filter: number): Buffer {
  const step = Math.max(1, (channelsOf[type] * depth) / 8);
  const line = Buffer.alloc(row.length + 1);
  line[0] = filter;
  for (let at = 0; at < row.length; at++) {
    const left = at < step ? 0 : row[at - step]!;
    const above = before[at]!;
    const corner = at < step ? 0 : before[at - step]!;
    const near = left + above - corner;
    const paeth = [left, above, corner].toSorted((one, other) => Math.abs(near - one) - Math.abs(near - other))[0]!;
    line[at + 1] = row[at]! - [0, left, above, (left + above) >> 1, paeth][filter]!;
  }
  return line;
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** One colour, or one for each pixel: [red, green, blue]. */
export type Paint = (x: number, y: number) => readonly [number, number, number];

/** A PNG of the commonest kind: eight bits, no alpha. Without `paint` it has one colour, which is quick to make. */
export function plainPng(width: number, height: number, paint?: Paint): Buffer {
  const length = 1 + width * 3;
  const raw = Buffer.alloc(height * length, paint === undefined ? 100 : 0);
  for (let y = 0; y < height; y++) {
    raw[y * length] = 0;
    for (let x = 0; x < width && paint !== undefined; x++) raw.set(paint(x, y), y * length + 1 + x * 3);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  const data = chunk("IDAT", deflateSync(raw, { level: 1 }));
  return Buffer.concat([signature, chunk("IHDR", header), data, chunk("IEND", Buffer.alloc(0))]);
}

/** Paints four areas of one colour each, which large files compress quickly. */
export const paintQuarters =
  (width: number, height: number): Paint =>
  (x, y) => [x < width / 2 ? 250 : 10, y < height / 2 ? 240 : 20, 128];

/** @param orientation The Exif orientation, as a camera writes it. */
export function jpegFile(
  width: number,
  height: number,
  paint: Paint = () => [200, 60, 20],
  orientation?: number,
): Buffer {
  const data = Buffer.alloc(width * height * 4, 255);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) data.set(paint(x, y), (y * width + x) * 4);
  const file = encode({ width, height, data }, 80).data;
  if (orientation === undefined) return file;
  const exif = Buffer.from(
    "ffe10022457869660000" + "4d4d002a00000008" + "0001" + "011200030000000100010000" + "00000000",
    "hex",
  );
  exif.writeUInt16BE(orientation, 28);
  return Buffer.concat([file.subarray(0, 2), exif, file.subarray(2)]);
}

/** Deterministic noise, which does not get smaller by compression. */
export function noise(x: number, y: number): readonly [number, number, number] {
  let mixed = Math.imul(x + 1, 0x9e37_79b1) ^ Math.imul(y + 1, 0x85eb_ca77);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b_3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a_2d39);
  mixed ^= mixed >>> 15;
  return [mixed & 255, (mixed >> 8) & 255, (mixed >> 16) & 255];
}
