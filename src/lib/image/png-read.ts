/** Decodes PNG files of every kind to rows of pixels: https://www.w3.org/TR/png-3/ */
import { inflateSync } from "node:zlib";
import { PictureError, type RowSink } from "./picture.ts";
import { expandRow, type PngColours } from "./png-colours.ts";

interface Header extends PngColours {
  width: number;
  height: number;
  interlaced: boolean;
}

/** Larger data is not unpacked, bytes. */
const mostRawBytes = 256 << 20;
/** Adam7: the first pixel of each pass, and the distance between its pixels. */
const passes: readonly (readonly [x: number, y: number, dx: number, dy: number])[] = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
];

/** Passes every row to `sink`. Throws a `PictureError`, or zlib's own error for damaged data. */
export function readPng(bytes: Buffer, sink: RowSink): void {
  const { header, data } = readChunks(bytes);
  const sizes = header.interlaced ? passes.map((pass) => passSize(header, pass)) : [header];
  const rawBytes = sizes.reduce((sum, size) => sum + size.height * (1 + rowBytes(header, size.width)), 0);
  if (rawBytes > mostRawBytes) throw new PictureError("it is too large to be unpacked");
  const raw = inflateSync(data, { maxOutputLength: rawBytes });
  if (raw.length < rawBytes) throw new PictureError("its data is cut");
  if (!header.interlaced) {
    const row = new Uint8Array(header.width * 4);
    forEachRow(header, raw, 0, header, (samples) => {
      expandRow(samples, header, header.width, row);
      sink.row(row, 4);
    });
    return;
  }
  const whole = readInterlaced(header, raw, sizes);
  for (let y = 0; y < header.height; y++) sink.row(whole.subarray(y * header.width * 4, (y + 1) * header.width * 4), 4);
}

function readChunks(bytes: Buffer): { header: Header; data: Buffer } {
  let header: Header | undefined;
  const parts: Buffer[] = [];
  for (let at = 8; at + 12 <= bytes.length;) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString("latin1", at + 4, at + 8);
    const content = bytes.subarray(at + 8, at + 8 + length);
    if (content.length < length && type !== "IDAT") throw new PictureError("its data is cut");
    if (type === "IHDR") header = readHeader(content);
    else if (type === "PLTE" && header !== undefined) header.palette = content;
    else if (type === "tRNS" && header !== undefined) header.transparency = content;
    else if (type === "IDAT") parts.push(content);
    else if (type === "IEND") break;
    at += 12 + length;
  }
  if (header === undefined || parts.length === 0) throw new PictureError("it holds no picture");
  if (header.type === 3 && header.palette === undefined) throw new PictureError("its palette is missing");
  return { header, data: Buffer.concat(parts) };
}

const channelsOf: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const depthsOf: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

function readHeader(content: Buffer): Header {
  if (content.length < 13) throw new PictureError("its header is cut");
  const [width, height] = [content.readUInt32BE(0), content.readUInt32BE(4)];
  const depth = content[8]!;
  const type = content[9]!;
  if (width === 0 || height === 0 || depthsOf[type]?.includes(depth) !== true || content[10] !== 0)
    throw new PictureError("its header makes no sense");
  return { width, height, depth, type, channels: channelsOf[type]!, interlaced: content[12] === 1 };
}

function rowBytes({ channels, depth }: Header, width: number): number {
  return Math.ceil((width * channels * depth) / 8);
}

function passSize({ width, height }: Header, [x, y, dx, dy]: (typeof passes)[number]) {
  const size = { width: Math.ceil((width - x) / dx), height: Math.ceil((height - y) / dy) };
  return size.width > 0 && size.height > 0 ? size : { width: 0, height: 0 };
}

/** Undoes each row's filter in place and passes the row on. */
function forEachRow(
  header: Header,
  raw: Buffer,
  start: number,
  size: { width: number; height: number },
  each: (samples: Uint8Array, y: number) => void,
): number {
  const length = rowBytes(header, size.width);
  const step = Math.max(1, (header.channels * header.depth) / 8);
  let before: Uint8Array = new Uint8Array(length);
  let at = start;
  for (let y = 0; y < size.height; y++) {
    const row = raw.subarray(at + 1, at + 1 + length);
    unfilter(raw[at]!, row, before, step);
    each(row, y);
    before = row;
    at += 1 + length;
  }
  return at;
}

/** https://www.w3.org/TR/png-3/#9Filters */
function unfilter(filter: number, row: Uint8Array, before: Uint8Array, step: number): void {
  switch (filter) {
    case 0:
      return;
    case 1:
      for (let at = step; at < row.length; at++) row[at]! += row[at - step]!;
      return;
    case 2:
      for (let at = 0; at < row.length; at++) row[at]! += before[at]!;
      return;
    case 3:
      for (let at = 0; at < row.length; at++) row[at]! += ((at < step ? 0 : row[at - step]!) + before[at]!) >> 1;
      return;
    case 4:
      for (let at = 0; at < row.length; at++)
        row[at]! += at < step ? before[at]! : paeth(row[at - step]!, before[at]!, before[at - step]!);
      return;
    default:
      throw new PictureError("its data is damaged");
  }
}

export function paeth(left: number, above: number, corner: number): number {
  const near = left + above - corner;
  const [toLeft, toAbove, toCorner] = [Math.abs(near - left), Math.abs(near - above), Math.abs(near - corner)];
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}

function readInterlaced(header: Header, raw: Buffer, sizes: readonly { width: number; height: number }[]): Uint8Array {
  const whole = new Uint8Array(header.width * header.height * 4);
  let start = 0;
  for (const [index, [x0, y0, dx, dy]] of passes.entries()) {
    const size = sizes[index]!;
    const row = new Uint8Array(size.width * 4);
    start = forEachRow(header, raw, start, size, (samples, y) => {
      expandRow(samples, header, size.width, row);
      for (let x = 0; x < size.width; x++)
        whole.set(row.subarray(x * 4, x * 4 + 4), ((y0 + y * dy) * header.width + x0 + x * dx) * 4);
    });
  }
  return whole;
}
