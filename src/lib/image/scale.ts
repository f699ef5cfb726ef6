/** Scales a picture down row by row: each pixel is the average of those it covers, so small print turns grey instead of disappearing. */
import type { Picture, RowSink } from "./picture.ts";

/** Maps the pixels of one axis to a cell of the smaller picture and, for the part that crosses its border, to the next cell. */
interface Axis {
  cell: Int32Array;
  /** The share in `cell`, as a fraction of the cell's size. */
  first: Float32Array;
  second: Float32Array;
}

function createAxis(from: number, to: number): Axis {
  const cell = new Int32Array(from);
  const first = new Float32Array(from);
  const second = new Float32Array(from);
  const share = to / from;
  for (let at = 0; at < from; at++) {
    const start = (at * to) / from;
    const index = Math.min(to - 1, Math.floor(start));
    const beyond = index + 1 < to ? Math.max(0, start + share - (index + 1)) : 0;
    cell[at] = index;
    first[at] = share - beyond;
    second[at] = beyond;
  }
  return { cell, first, second };
}

const channels = 4;

/** Takes all rows of the larger picture, then returns the smaller one. Neither side may be larger than before. */
export class Scaler implements RowSink {
  readonly #width: number;
  readonly #height: number;
  readonly #across: Axis;
  readonly #down: Axis;
  readonly #line: Float32Array;
  readonly #sums: Float32Array;
  #row = 0;

  constructor(from: { width: number; height: number }, to: { width: number; height: number }) {
    this.#width = to.width;
    this.#height = to.height;
    this.#across = createAxis(from.width, to.width);
    this.#down = createAxis(from.height, to.height);
    this.#line = new Float32Array(to.width * channels);
    this.#sums = new Float32Array(to.width * to.height * channels);
  }

  row(values: Uint8Array, channelCount: 3 | 4): void {
    const { cell, first, second } = this.#down;
    const index = cell[this.#row];
    if (index === undefined) return;
    this.#addAcross(values, channelCount);
    this.#addLine(index, first[this.#row]!);
    if (second[this.#row]! > 0) this.#addLine(index + 1, second[this.#row]!);
    this.#row++;
  }

  /** Colours are weighted by alpha, so that transparent pixels do not colour their neighbours. */
  #addAcross(values: Uint8Array, channelCount: 3 | 4): void {
    const line = this.#line;
    line.fill(0);
    const { cell, first, second } = this.#across;
    const count = cell.length;
    for (let x = 0, at = 0; x < count; x++, at += channelCount) {
      const alpha = channelCount === 4 ? values[at + 3]! / 255 : 1;
      const red = values[at]! * alpha;
      const green = values[at + 1]! * alpha;
      const blue = values[at + 2]! * alpha;
      const to = cell[x]! * channels;
      const own = first[x]!;
      line[to]! += red * own;
      line[to + 1]! += green * own;
      line[to + 2]! += blue * own;
      line[to + 3]! += alpha * own;
      const rest = second[x]!;
      if (rest === 0) continue;
      line[to + 4]! += red * rest;
      line[to + 5]! += green * rest;
      line[to + 6]! += blue * rest;
      line[to + 7]! += alpha * rest;
    }
  }

  #addLine(row: number, share: number): void {
    const line = this.#line;
    const sums = this.#sums;
    const start = row * line.length;
    for (let at = 0; at < line.length; at++) sums[start + at]! += line[at]! * share;
  }

  /** Rows that never came are transparent. */
  finish(): Picture {
    const sums = this.#sums;
    const pixels = new Uint8Array(sums.length);
    for (let at = 0; at < sums.length; at += channels) {
      const alpha = sums[at + 3]!;
      if (alpha <= 0) continue;
      pixels[at] = Math.min(255, sums[at]! / alpha + 0.5);
      pixels[at + 1] = Math.min(255, sums[at + 1]! / alpha + 0.5);
      pixels[at + 2] = Math.min(255, sums[at + 2]! / alpha + 0.5);
      pixels[at + 3] = Math.min(255, alpha * 255 + 0.5);
    }
    return { width: this.#width, height: this.#height, pixels };
  }
}
