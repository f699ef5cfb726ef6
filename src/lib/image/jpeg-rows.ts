/** Converts the coefficients of a JPEG picture to rows of pixels: ITU T.81, annex A.3; ITU T.871 for the colours. */
import type { Component } from "./jpeg-scan.ts";
import type { RowSink } from "./picture.ts";

export interface Frame {
  width: number;
  height: number;
  progressive: boolean;
  components: Component[];
  mostAcross: number;
  mostDown: number;
  groupsAcross: number;
  groupsDown: number;
}

/** The meaning of a pixel's components. */
export type JpegColours = "grey" | "rgb" | "ycc" | "cmyk" | "ycck";

export interface Reading {
  frame: Frame;
  /** Tables by number, in natural order. */
  quantization: readonly (Uint16Array | undefined)[];
  colours: JpegColours;
  /** 255 means no ink, as Adobe's programs write it. */
  invertedInk: boolean;
}

/** Scale factors that the fast transform of Arai, Agui and Nakajima leaves to the quantisation. */
const aan = [1, 1.387039845, 1.306562965, 1.175875602, 1, 0.785694958, 0.5411961, 0.275899379];

interface Plane {
  component: Component;
  factors: Float32Array;
  /** The samples of one row of groups. */
  samples: Uint8ClampedArray;
  width: number;
  /** The sample column for each x of the picture. */
  columns: Int32Array;
}

export function writeRows(reading: Reading, sink: RowSink): void {
  const { frame } = reading;
  const planes = frame.components.map((component) => createPlane(component, reading));
  const row = new Uint8Array(frame.width * 3);
  for (let group = 0; group < frame.groupsDown; group++) {
    for (const plane of planes) fillPlane(plane, group);
    const first = group * frame.mostDown * 8;
    for (let y = 0; y < frame.mostDown * 8 && first + y < frame.height; y++) {
      const starts = planes.map(({ component, width }) => Math.floor((y * component.down) / frame.mostDown) * width);
      colourRow(reading, planes, starts, row);
      sink.row(row, 3);
    }
  }
}

function createPlane(component: Component, { frame, quantization }: Reading): Plane {
  const table = quantization[component.quantization];
  const factors = Float32Array.from({ length: 64 }, (_, at) => ((table?.[at] ?? 1) * aan[at >> 3]! * aan[at & 7]!) / 8);
  const width = component.stride * 8;
  const columns = Int32Array.from({ length: frame.width }, (_, x) =>
    Math.floor((x * component.across) / frame.mostAcross),
  );
  return { component, factors, samples: new Uint8ClampedArray(width * component.down * 8), width, columns };
}

const blockValues = new Float32Array(64);

function fillPlane({ component, factors, samples, width }: Plane, group: number): void {
  const { coefficients, stride, down } = component;
  for (let row = 0; row < down; row++) {
    const first = (group * down + row) * stride;
    for (let block = 0; block < stride; block++) {
      const at = (first + block) * 64;
      for (let k = 0; k < 64; k++) blockValues[k] = coefficients[at + k]! * factors[k]!;
      for (let column = 0; column < 8; column++) transform(column, 8);
      for (let line = 0; line < 8; line++) transform(line * 8, 1);
      const to = row * 8 * width + block * 8;
      for (let line = 0; line < 8; line++)
        for (let column = 0; column < 8; column++)
          samples[to + line * width + column] = blockValues[line * 8 + column]! + 128;
    }
  }
}

/** Transforms eight of the `blockValues`, `step` apart, from frequencies to samples. */
function transform(at: number, step: number): void {
  const s2 = blockValues[at + 2 * step]!;
  const s6 = blockValues[at + 6 * step]!;
  const sum26 = s2 + s6;
  const rest26 = (s2 - s6) * Math.SQRT2 - sum26;
  const sum04 = blockValues[at]! + blockValues[at + 4 * step]!;
  const rest04 = blockValues[at]! - blockValues[at + 4 * step]!;
  const even0 = sum04 + sum26;
  const even1 = rest04 + rest26;
  const even2 = rest04 - rest26;
  const even3 = sum04 - sum26;
  const sum53 = blockValues[at + 5 * step]! + blockValues[at + 3 * step]!;
  const rest53 = blockValues[at + 5 * step]! - blockValues[at + 3 * step]!;
  const sum17 = blockValues[at + step]! + blockValues[at + 7 * step]!;
  const rest17 = blockValues[at + step]! - blockValues[at + 7 * step]!;
  const turned = (rest53 + rest17) * 1.847759065;
  const odd0 = sum17 + sum53;
  const odd1 = turned - rest53 * 2.61312593 - odd0;
  const odd2 = (sum17 - sum53) * Math.SQRT2 - odd1;
  const odd3 = turned - rest17 * 1.0823922 - odd2;
  blockValues[at] = even0 + odd0;
  blockValues[at + step] = even1 + odd1;
  blockValues[at + 2 * step] = even2 + odd2;
  blockValues[at + 3 * step] = even3 + odd3;
  blockValues[at + 4 * step] = even3 - odd3;
  blockValues[at + 5 * step] = even2 - odd2;
  blockValues[at + 6 * step] = even1 - odd1;
  blockValues[at + 7 * step] = even0 - odd0;
}

/** The colour being computed; values out of range are clamped. */
const colour = new Uint8ClampedArray(3);

function colourRow(
  { frame, colours, invertedInk }: Reading,
  planes: readonly Plane[],
  starts: readonly number[],
  row: Uint8Array,
): void {
  const first = planes[0]!;
  // A grey picture uses its only component for all three colours.
  const second = planes[1] ?? first;
  const third = planes[2] ?? first;
  const start = starts[0]!;
  const secondStart = starts[1] ?? start;
  const thirdStart = starts[2] ?? start;
  const isLuma = colours === "ycc" || colours === "ycck";
  const ink = colours === "cmyk" || colours === "ycck" ? planes[3] : undefined;
  for (let x = 0, to = 0; x < frame.width; x++, to += 3) {
    const a = first.samples[start + first.columns[x]!]!;
    const b = second.samples[secondStart + second.columns[x]!]!;
    const c = third.samples[thirdStart + third.columns[x]!]!;
    if (isLuma) {
      colour[0] = a + 1.402 * (c - 128);
      colour[1] = a - 0.344136 * (b - 128) - 0.714136 * (c - 128);
      colour[2] = a + 1.772 * (b - 128);
    } else {
      colour[0] = a;
      colour[1] = b;
      colour[2] = c;
    }
    if (colours === "ycck") invertColour();
    if (ink !== undefined) addInk(ink.samples[(starts[3] ?? 0) + ink.columns[x]!]!, invertedInk);
    row[to] = colour[0]!;
    row[to + 1] = colour[1]!;
    row[to + 2] = colour[2]!;
  }
}

/** YCCK describes light, not ink: the red component stands for cyan ink. */
function invertColour(): void {
  for (let at = 0; at < 3; at++) colour[at] = 255 - colour[at]!;
}

/** Coloured inks remove light from white, and black removes all colours. */
function addInk(black: number, inverted: boolean): void {
  const paper = inverted ? black : 255 - black;
  for (let at = 0; at < 3; at++) colour[at] = ((inverted ? colour[at]! : 255 - colour[at]!) * paper) / 255;
}
