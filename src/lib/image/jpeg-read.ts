/**
 * Decodes JPEG files to rows of pixels: eight bits, sequential and progressive, grey, RGB, YCbCr, CMYK. Uses one large block of memory for
 * the coefficients and works in rows after that: a photograph takes tens of megabytes, which are released at the end.
 */
import { isFrameMarker } from "../image-header.ts";
import { BitReader, HuffmanTable } from "./jpeg-bits.ts";
import { writeRows, type JpegColours, type Frame } from "./jpeg-rows.ts";
import { naturalPositions, readScan, type Component, type ScanPart } from "./jpeg-scan.ts";
import { PictureError, type RowSink } from "./picture.ts";

const mostCoefficientBytes = 256 << 20;
/** A progressive file has about ten scans; each is a pass over the whole picture. */
const mostScans = 100;

interface Tables {
  quantization: (Uint16Array | undefined)[];
  dc: (HuffmanTable | undefined)[];
  ac: (HuffmanTable | undefined)[];
  restartInterval: number;
  /** The colour transform from Adobe's segment; undefined if there is none. */
  adobe: number | undefined;
}

/** Passes every row to `sink`; parts missing from cut data are grey. Throws a `PictureError`. */
export function readJpeg(bytes: Buffer, sink: RowSink): void {
  const tables: Tables = { quantization: [], dc: [], ac: [], restartInterval: 0, adobe: undefined };
  let frame: Frame | undefined;
  let scans = 0;
  for (let at = 2; at + 4 <= bytes.length;) {
    const marker = bytes[at] === 0xff ? bytes[at + 1]! : 0;
    if (marker === 0 || marker === 0xff || (marker >= 0xd0 && marker <= 0xd8)) {
      at++;
      continue;
    }
    if (marker === 0xd9) break;
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    const segment = bytes.subarray(at + 4, end);
    if (isFrameMarker(marker)) {
      if (frame !== undefined) throw new PictureError("it holds two pictures in one");
      frame = readFrame(marker, segment);
    } else if (marker === 0xda) {
      if (frame === undefined || ++scans > mostScans) throw new PictureError("its parts are in no sensible order");
      at = decodeScan(segment, frame, tables, new BitReader(bytes, end));
      continue;
    } else readTables(marker, segment, tables);
    at = end;
  }
  if (frame === undefined || scans === 0) throw new PictureError("it holds no picture");
  const colours = coloursOf(frame, tables.adobe);
  writeRows({ frame, quantization: tables.quantization, colours, invertedInk: tables.adobe !== undefined }, sink);
}

function readFrame(marker: number, segment: Buffer): Frame {
  if (marker > 0xc2 || segment[0] !== 8) throw new PictureError("its kind of JPEG cannot be read here");
  if (segment.length < 6 || segment.length < 6 + segment[5]! * 3) throw new PictureError("its header is cut");
  const [height, width] = [segment.readUInt16BE(1), segment.readUInt16BE(3)];
  const shapes = Array.from({ length: segment[5]! }, (_, index) => {
    const [id, factors, quantization] = segment.subarray(6 + index * 3);
    return { id: id!, across: factors! >> 4, down: factors! & 15, quantization: quantization! };
  });
  const isSensible = shapes.every(({ across, down }) => across >= 1 && across <= 4 && down >= 1 && down <= 4);
  if (![1, 3, 4].includes(shapes.length) || !isSensible || width === 0 || height === 0)
    throw new PictureError("its header makes no sense");
  const mostAcross = Math.max(...shapes.map(({ across }) => across));
  const mostDown = Math.max(...shapes.map(({ down }) => down));
  const groupsAcross = Math.ceil(width / (8 * mostAcross));
  const groupsDown = Math.ceil(height / (8 * mostDown));
  const groupBlocks = shapes.reduce((sum, { across, down }) => sum + across * down, 0);
  if (groupsAcross * groupsDown * groupBlocks * 128 > mostCoefficientBytes)
    throw new PictureError("it is too large to be unpacked");
  const components = shapes.map((shape): Component => {
    const stride = groupsAcross * shape.across;
    return {
      ...shape,
      blocksAcross: Math.ceil(Math.ceil((width * shape.across) / mostAcross) / 8),
      blocksDown: Math.ceil(Math.ceil((height * shape.down) / mostDown) / 8),
      stride,
      coefficients: new Int16Array(stride * groupsDown * shape.down * 64),
    };
  });
  const size = { width, height, groupsAcross, groupsDown, mostAcross, mostDown };
  return { ...size, progressive: marker === 0xc2, components };
}

/** Returns the offset of the next marker. */
function decodeScan(segment: Buffer, frame: Frame, tables: Tables, bits: BitReader): number {
  const count = segment[0] ?? 0;
  if (count < 1 || count > 4 || segment.length < 4 + count * 2) throw new PictureError("its header is cut");
  const parts = Array.from({ length: count }, (_, index): ScanPart => {
    const [id, numbers] = segment.subarray(1 + index * 2);
    const component = frame.components.find((each) => each.id === id);
    if (component === undefined) throw new PictureError("its parts do not belong together");
    return { component, dc: tables.dc[numbers! >> 4], ac: tables.ac[numbers! & 15], last: 0 };
  });
  const [from, to, bitsOf] = segment.subarray(1 + count * 2);
  const range = frame.progressive ? { from: from!, to: to! } : { from: 0, to: 63 };
  if (range.from > range.to || range.to > 63 || (range.from > 0 && count > 1) || (bitsOf! & 15) > 13)
    throw new PictureError("its header makes no sense");
  const { groupsAcross, groupsDown, progressive } = frame;
  const { restartInterval } = tables;
  readScan(
    { parts, groupsAcross, groupsDown, progressive, ...range, high: bitsOf! >> 4, low: bitsOf! & 15, restartInterval },
    bits,
  );
  return bits.position;
}

function readTables(marker: number, segment: Buffer, tables: Tables): void {
  if (marker === 0xdb) readQuantization(segment, tables);
  else if (marker === 0xc4) readHuffman(segment, tables);
  else if (marker === 0xdd && segment.length >= 2) tables.restartInterval = segment.readUInt16BE(0);
  else if (marker === 0xee && segment.length >= 12 && segment.toString("latin1", 0, 5) === "Adobe")
    tables.adobe = segment[11];
}

function readQuantization(segment: Buffer, tables: Tables): void {
  for (let at = 0; at < segment.length;) {
    const isWide = segment[at]! >> 4 !== 0;
    const number = segment[at]! & 15;
    const size = isWide ? 128 : 64;
    if (at + 1 + size > segment.length) return;
    const table = new Uint16Array(64);
    for (let k = 0; k < 64; k++)
      table[naturalPositions[k]!] = isWide ? segment.readUInt16BE(at + 1 + k * 2) : segment[at + 1 + k]!;
    tables.quantization[number] = table;
    at += 1 + size;
  }
}

function readHuffman(segment: Buffer, tables: Tables): void {
  for (let at = 0; at + 17 <= segment.length;) {
    const counts = segment.subarray(at + 1, at + 17);
    const total = counts.reduce((sum, count) => sum + count, 0);
    const table = new HuffmanTable(counts, segment.subarray(at + 17, at + 17 + total));
    (segment[at]! >> 4 === 0 ? tables.dc : tables.ac)[segment[at]! & 15] = table;
    at += 17 + total;
  }
}

function coloursOf({ components }: Frame, adobe: number | undefined): JpegColours {
  if (components.length === 1) return "grey";
  if (components.length === 4) return adobe === 2 ? "ycck" : "cmyk";
  const ids = String.fromCharCode(...components.map(({ id }) => id));
  return adobe === 0 || (adobe === undefined && ids === "RGB") ? "rgb" : "ycc";
}
