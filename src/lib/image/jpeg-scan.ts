/** Decodes the scans of a JPEG file to coefficients: sequential and progressive, with Huffman codes. ITU T.81, annexes F.2 and G.2. */
import type { BitReader, HuffmanTable } from "./jpeg-bits.ts";
import { PictureError } from "./picture.ts";

export interface Component {
  id: number;
  /** Sampling factors. */
  across: number;
  down: number;
  /** The number of its quantisation table. */
  quantization: number;
  /** The blocks that contain picture data. */
  blocksAcross: number;
  blocksDown: number;
  /** Blocks per row of `coefficients`, rounded up to whole groups. */
  stride: number;
  /** 64 per block, in natural order. */
  coefficients: Int16Array;
}

export interface ScanPart {
  component: Component;
  dc: HuffmanTable | undefined;
  ac: HuffmanTable | undefined;
  /** The previous DC value; the next one is coded as a difference from it. */
  last: number;
}

export interface Scan {
  parts: ScanPart[];
  groupsAcross: number;
  groupsDown: number;
  progressive: boolean;
  /** The range of coefficients in each block, in zigzag order. */
  from: number;
  to: number;
  /** `high`: bits that came in an earlier scan; `low`: bits that are still to come. */
  high: number;
  low: number;
  restartInterval: number;
}

/** The natural position of each coefficient in zigzag order. */
export const naturalPositions = Uint8Array.from(
  [
    "0 1 8 16 9 2 3 10 17 24 32 25 18 11 4 5 12 19 26 33 40 48 41 34 27 20 13 6 7 14 21 28",
    "35 42 49 56 57 50 43 36 29 22 15 23 30 37 44 51 58 59 52 45 38 31 39 46 53 60 61 54 47 55 62 63",
  ]
    .join(" ")
    .split(" "),
  Number,
);

/** Decodes a scan; coefficients missing from cut data keep their values. */
export function readScan(scan: Scan, bits: BitReader): void {
  const [only] = scan.parts;
  const isAlone = scan.parts.length === 1 && only !== undefined;
  const across = isAlone ? only.component.blocksAcross : scan.groupsAcross;
  const down = isAlone ? only.component.blocksDown : scan.groupsDown;
  const blocks = new BlockReader(scan, bits);
  for (let at = 0; at < across * down; at++) {
    if (scan.restartInterval > 0 && at > 0 && at % scan.restartInterval === 0) {
      if (!bits.restart()) return;
      blocks.restart();
    }
    const [x, y] = [at % across, Math.floor(at / across)];
    if (isAlone) blocks.read(only, x, y);
    else for (const part of scan.parts) readGroup(blocks, part, x, y);
    if (bits.isExhausted) return;
  }
}

function readGroup(blocks: BlockReader, part: ScanPart, x: number, y: number): void {
  const { across, down } = part.component;
  for (let row = 0; row < down; row++)
    for (let column = 0; column < across; column++) blocks.read(part, x * across + column, y * down + row);
}

class BlockReader {
  readonly #scan: Scan;
  readonly #bits: BitReader;
  /** The number of following blocks without new coefficients. */
  #blocksToSkip = 0;

  constructor(scan: Scan, bits: BitReader) {
    this.#scan = scan;
    this.#bits = bits;
  }

  read(part: ScanPart, x: number, y: number): void {
    const { coefficients, stride } = part.component;
    const at = (y * stride + x) * 64;
    const { progressive, from, high } = this.#scan;
    if (!progressive) this.#sequential(part, coefficients, at);
    else if (from > 0 && high === 0) this.#firstAc(part, coefficients, at);
    else if (from > 0) this.#laterAc(part, coefficients, at);
    else if (high === 0) this.#firstDc(part, coefficients, at);
    else this.#laterDc(coefficients, at);
  }

  restart(): void {
    this.#blocksToSkip = 0;
    for (const part of this.#scan.parts) part.last = 0;
  }

  #difference(part: ScanPart): number {
    part.last += this.#bits.takeSigned(Math.min(16, requireTable(part.dc).next(this.#bits)));
    return part.last;
  }

  #sequential(part: ScanPart, values: Int16Array, at: number): void {
    const bits = this.#bits;
    values[at] = this.#difference(part);
    const table = requireTable(part.ac);
    for (let k = 1; k < 64; k++) {
      const code = table.next(bits);
      const size = code & 15;
      if (size === 0) {
        if (code !== 0xf0) return;
        k += 15;
        continue;
      }
      k += code >> 4;
      const value = bits.takeSigned(size);
      if (k < 64) values[at + naturalPositions[k]!] = value;
    }
  }

  #firstDc(part: ScanPart, values: Int16Array, at: number): void {
    values[at] = this.#difference(part) << this.#scan.low;
  }

  #laterDc(values: Int16Array, at: number): void {
    if (this.#bits.take(1) === 1) values[at]! |= 1 << this.#scan.low;
  }

  #firstAc(part: ScanPart, values: Int16Array, at: number): void {
    if (this.#blocksToSkip > 0) {
      this.#blocksToSkip--;
      return;
    }
    const { from, to, low } = this.#scan;
    const bits = this.#bits;
    const table = requireTable(part.ac);
    for (let k = from; k <= to; k++) {
      const code = table.next(bits);
      const [run, size] = [code >> 4, code & 15];
      if (size === 0 && run < 15) {
        this.#blocksToSkip = (1 << run) - 1 + bits.take(run);
        return;
      }
      k += run;
      if (size === 0) continue;
      const value = bits.takeSigned(size) * (1 << low);
      if (k <= to) values[at + naturalPositions[k]!] = value;
    }
  }

  /** Reads one more bit of known coefficients; new coefficients begin with this bit. */
  #laterAc(part: ScanPart, values: Int16Array, at: number): void {
    const { from, to, low } = this.#scan;
    const bits = this.#bits;
    let k = from;
    if (this.#blocksToSkip === 0) {
      const table = requireTable(part.ac);
      for (; k <= to; k++) {
        const code = table.next(bits);
        const [run, size] = [code >> 4, code & 15];
        if (size === 0 && run < 15) {
          this.#blocksToSkip = (1 << run) + bits.take(run);
          break;
        }
        const value = size === 0 ? 0 : bits.take(1) === 1 ? 1 << low : -(1 << low);
        k = this.#passZeros(values, at, k, run);
        if (value !== 0 && k <= to) values[at + naturalPositions[k]!] = value;
      }
    }
    if (this.#blocksToSkip === 0) return;
    this.#blocksToSkip--;
    this.#passZeros(values, at, k, 64);
  }

  /** Refines known coefficients while passing `zeros` zeros; returns the position of the next zero. */
  #passZeros(values: Int16Array, at: number, start: number, zeros: number): number {
    const { to, low } = this.#scan;
    const step = 1 << low;
    let left = zeros;
    let k = start;
    for (; k <= to; k++) {
      const place = at + naturalPositions[k]!;
      const value = values[place]!;
      if (value === 0) {
        if (left === 0) return k;
        left--;
      } else if (this.#bits.take(1) === 1 && (value & step) === 0)
        values[place] = value < 0 ? value - step : value + step;
    }
    return k;
  }
}

function requireTable(table: HuffmanTable | undefined): HuffmanTable {
  if (table === undefined) throw new PictureError("a code table is missing");
  return table;
}
