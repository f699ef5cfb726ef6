import fc from "fast-check";
import { decode } from "jpeg-js";
import { describe, expect, test } from "vitest";
import { readJpeg } from "../../../src/lib/image/jpeg-read.ts";
import { jpegFile, noise, paintQuarters } from "../../support/pictures.ts";
import { byTestDepth } from "../../support/test-depth.ts";

function read(file: Buffer): number[][] {
  const rows: number[][] = [];
  readJpeg(file, {
    row(values, channels) {
      expect(channels).toBe(3);
      rows.push([...values]);
    },
  });
  return rows;
}

interface FlatKind {
  width: number;
  height: number;
  /** Sampling factors of each component. */
  components: readonly (readonly [across: number, down: number])[];
  restartInterval: number;
  adobe?: number;
  ids?: string;
}

/** A sequential file in which every block is of one value; `value(component, x, y)` is that of block (x, y). */
function flatJpeg(kind: FlatKind, value: (component: number, x: number, y: number) => number): Buffer {
  const { components, width, height, restartInterval } = kind;
  const segment = (marker: number, ...bytes: number[]): Buffer =>
    Buffer.from([0xff, marker, (bytes.length + 2) >> 8, (bytes.length + 2) & 255, ...bytes]);
  const ids = components.map((_, index) => kind.ids?.charCodeAt(index) ?? index + 1);
  const parts: Buffer[] = [Buffer.from([0xff, 0xd8])];
  if (kind.adobe !== undefined) parts.push(segment(0xee, ...Buffer.from("Adobe"), 0, 100, 0, 0, 0, 0, kind.adobe));
  parts.push(
    segment(0xdb, 0, ...Array.from({ length: 64 }, () => 8)),
    segment(
      0xc0,
      8,
      height >> 8,
      height & 255,
      width >> 8,
      width & 255,
      components.length,
      ...components.flatMap(([across, down], index) => [ids[index]!, (across << 4) | down, 0]),
    ),
    // Sizes 0 to 11, of four bits each; for all else one code of one bit: the end of the block.
    segment(
      0xc4,
      0x00,
      0,
      0,
      0,
      12,
      ...Array.from({ length: 12 }, () => 0),
      ...Array.from({ length: 12 }, (_, at) => at),
    ),
    segment(0xc4, 0x10, 1, ...Array.from({ length: 15 }, () => 0), 0),
    segment(0xdd, restartInterval >> 8, restartInterval & 255),
    segment(0xda, components.length, ...ids.flatMap((id) => [id, 0]), 0, 63, 0),
  );
  return Buffer.concat([...parts, ...flatScan(kind, value), Buffer.from([0xff, 0xd9])]);
}

function flatScan(
  { components, width, height, restartInterval }: FlatKind,
  value: (c: number, x: number, y: number) => number,
) {
  const [mostAcross, mostDown] = [0, 1].map((axis) => Math.max(...components.map((factors) => factors[axis]!))) as [
    number,
    number,
  ];
  const alone = components.length === 1;
  const groupsAcross = Math.ceil(width / (8 * (alone ? 1 : mostAcross)));
  const groupsDown = Math.ceil(height / (8 * (alone ? 1 : mostDown)));
  const pieces: Buffer[] = [];
  let bits = "";
  let last = components.map(() => 0);
  const close = (): void => {
    while (bits.length % 8 !== 0) bits += "1";
    const bytes = (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2));
    pieces.push(Buffer.from(bytes.flatMap((byte) => (byte === 0xff ? [byte, 0] : [byte]))));
    bits = "";
    last = components.map(() => 0);
  };
  for (let group = 0; group < groupsAcross * groupsDown; group++) {
    if (restartInterval > 0 && group > 0 && group % restartInterval === 0) {
      close();
      pieces.push(Buffer.from([0xff, 0xd0 + ((group / restartInterval - 1) & 7)]));
    }
    for (const [index, factors] of components.entries()) {
      const [across, down] = alone ? [1, 1] : factors;
      for (let block = 0; block < across * down; block++) {
        const x = (group % groupsAcross) * across + (block % across);
        const y = Math.floor(group / groupsAcross) * down + Math.floor(block / across);
        const level = value(index, x, y) - 128;
        const difference = level - last[index]!;
        last[index] = level;
        const size = difference === 0 ? 0 : Math.floor(Math.log2(Math.abs(difference))) + 1;
        const code = difference < 0 ? difference + (1 << size) - 1 : difference;
        bits += size.toString(2).padStart(4, "0") + (size === 0 ? "" : code.toString(2).padStart(size, "0")) + "0";
      }
    }
  }
  close();
  return pieces;
}

const clamp = (value: number): number => Math.min(255, Math.max(0, Math.round(value)));

test("decodes each block to its colour for every size, sampling, number of components and restart interval", () => {
  const factor = fc.tuple(fc.constantFrom(1, 2), fc.constantFrom(1, 2));
  const shapes = fc.record({
    width: fc.integer({ min: 1, max: 70 }),
    height: fc.integer({ min: 1, max: 50 }),
    components: fc.oneof(fc.tuple(factor), fc.tuple(factor, factor, factor), fc.tuple(factor, factor, factor, factor)),
    restartInterval: fc.nat(5),
    adobe: fc.constantFrom(undefined, 0, 1, 2),
    seed: fc.nat(),
  });
  fc.assert(
    fc.property(shapes, ({ seed, adobe, ...kind }) => {
      const valueOf = (component: number, x: number, y: number): number => noise(x + seed, y * 4 + component)[0];
      const rows = read(flatJpeg(adobe === undefined ? kind : { ...kind, adobe }, valueOf));
      expect(rows).toHaveLength(kind.height);
      const most = [0, 1].map((axis) => Math.max(...kind.components.map((factors) => factors[axis]!)));
      for (let y = 0; y < kind.height; y++)
        for (let x = 0; x < kind.width; x++) {
          const [a = 0, b = a, c = a, d = 0] = kind.components.map(([across, down], index) =>
            valueOf(index, Math.floor((x * across) / most[0]! / 8), Math.floor((y * down) / most[1]! / 8)),
          );
          const wanted = colourOf(kind.components.length, adobe, [a, b, c, d]);
          // A value halfway between two is either.
          for (const [channel, value] of wanted.entries())
            expect(Math.abs(rows[y]![x * 3 + channel]! - value)).toBeLessThanOrEqual(1);
        }
    }),
    { numRuns: byTestDepth(40, 150) },
  );
});

type Four = [number, number, number, number];

function colourOf(components: number, adobe: number | undefined, [a, b, c, d]: Four): number[] {
  const isLuma = components === 4 ? adobe === 2 : components === 3 && adobe !== 0;
  const colour = isLuma
    ? [a + 1.402 * (c - 128), a - 0.344136 * (b - 128) - 0.714136 * (c - 128), a + 1.772 * (b - 128)].map(clamp)
    : [a, b, c];
  if (components < 4) return colour;
  // Transform 2 makes its brightness and colours of what the inks leave over.
  const inks = isLuma ? colour.map((light) => 255 - light) : colour;
  return inks.map((ink) => clamp(adobe === undefined ? ((255 - ink) * (255 - d)) / 255 : (ink * d) / 255));
}

/** 8 × 8 pixels of red ink under a quarter of black, in the form of Photoshop and ImageMagick (CMYK, Adobe's transform 2). */
const redInk = [
  "/9j/7gAOQWRvYmUAZAAAAAAC/9sAQwAQCwwODAoQDg0OEhEQExgoGhgWFhgxIyUdKDozPTw5Mzg3QEhcTkBEV0U3OFBtUVdfYmdo",
  "Zz5NcXlwZHhcZWdj/9sAQwEREhIYFRgvGhovY0I4QmNjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2Nj",
  "Y2NjY2Nj/8AAFAgACAAIBAEiAAIRAQMRAQQiAP/EABYAAQEBAAAAAAAAAAAAAAAAAAAFBv/EABQQAQAAAAAAAAAAAAAAAAAAAAD/",
  "xAAVAQEBAAAAAAAAAAAAAAAAAAAFBv/EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAOBAEAAhEDEQQAAD8AtAFEG0AD/9k=",
].join("");

test("decodes inks that were stored as luminance and chrominance (YCCK)", () => {
  const colour = read(Buffer.from(redInk, "base64"))[0]!.slice(0, 3);
  for (const [channel, value] of [190, 0, 0].entries()) expect(Math.abs(colour[channel]! - value)).toBeLessThan(4);
});

test("tells RGB from YCbCr by the ids of the components", () => {
  const kind = {
    width: 8,
    height: 8,
    components: [
      [1, 1],
      [1, 1],
      [1, 1],
    ],
    restartInterval: 0,
    ids: "RGB",
  } as const;
  expect(read(flatJpeg(kind, (component) => [250, 100, 3][component]!))[0]!.slice(0, 3)).toEqual([250, 100, 3]);
});

test("decodes photographs as another decoder does", () => {
  for (const [width, height, paint] of [
    [61, 43, noise],
    [64, 32, paintQuarters(64, 32)],
    [100, 75, (x: number, y: number) => [x * 2, y * 3, (x + y) & 255] as const],
  ] as const) {
    const file = jpegFile(width, height, paint);
    const { data } = decode(file, { useTArray: true, formatAsRGBA: false });
    const own = read(file).flat();
    expect(own).toHaveLength(data.length);
    const apart = own.map((value, at) => Math.abs(value - data[at]!));
    expect(Math.max(...apart)).toBeLessThanOrEqual(4);
  }
});

/** 24 × 20 pixels, each [x * 10, y * 12, (x * 5 + y * 3) & 255], at quality 90 with halved colours, by libjpeg-turbo. */
const progressive =
  "/9j/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMUFRUVDA8XGBYUGBIUFRT/2wBDAQMEBAUEBQkFBQkUDQsNFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBT/wgARCAAUABgDASIAAhEBAxEB/8QAFwABAQEBAAAAAAAAAAAAAAAAAAYHBP/EABkBAAIDAQAAAAAAAAAAAAAAAAQHAwUGCP/aAAwDAQACEAMQAAABwemqaauglmnj2py0xjeX6YHtX//EABgQAAMBAQAAAAAAAAAAAAAAAAAEBQID/9oACAEBAAEFAl54vPF54vPF54vPF+ORfjkX45P/xAAcEQABBAMBAAAAAAAAAAAAAAAAAQIEBRMhMSP/2gAIAQMBAT8BqrjmyNcefSqcuiM5cZ//xAAZEQACAwEAAAAAAAAAAAAAAAAAAQIDBCH/2gAIAQIBAT8Br1kdZWyL4f/EABUQAQEAAAAAAAAAAAAAAAAAAAAx/9oACAEBAAY/AoiIiIiP/8QAFhABAQEAAAAAAAAAAAAAAAAAADEh/9oACAEBAAE/IYkSJEiRMZjMZ//aAAwDAQACAAMAAAAQzx98/8QAGBEBAAMBAAAAAAAAAAAAAAAAAAERIUH/2gAIAQMBAT8QBkOlKq2X/8QAGhEBAAEFAAAAAAAAAAAAAAAAAAEhMUFRYf/aAAgBAgEBPxDqoXSbSZP/xAAWEAEBAQAAAAAAAAAAAAAAAADxACD/2gAIAQEAAT8QFjYWFhY3HOc//9k=";

test("decodes a progressive file from all of its scans", () => {
  const rows = read(Buffer.from(progressive, "base64"));
  let apart = 0;
  for (let y = 0; y < 20; y++)
    for (let x = 0; x < 24; x++)
      for (const [c, value] of [x * 10, y * 12, (x * 5 + y * 3) & 255].entries())
        apart += Math.abs(rows[y]![x * 3 + c]! - value);
  expect(apart / (20 * 24 * 3)).toBeLessThan(8);
});

describe("damaged JPEG files", () => {
  const files = [
    Buffer.from(progressive, "base64"),
    jpegFile(40, 30, noise),
    flatJpeg({ width: 40, height: 30, components: [[1, 1]], restartInterval: 2 }, (_, x) => x * 9),
  ];

  test("cause an error or wrong pixels, but decoding always ends", () => {
    const change = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 });
    fc.assert(
      fc.property(fc.constantFrom(...files), change, fc.option(fc.nat()), (whole, changes, cut) => {
        const damaged = Buffer.from(whole.subarray(0, cut === null ? whole.length : cut % whole.length));
        for (const [at, value] of changes) if (damaged.length > 0) damaged[at % damaged.length] = value;
        // A size of its own making is for the memory limit, which is tested below.
        for (let at = 0; at + 9 < damaged.length; at++)
          if (damaged[at] === 0xff && damaged[at + 1]! >= 0xc0 && damaged[at + 1]! <= 0xc2)
            damaged.fill(0, at + 5, at + 6).fill(0, at + 7, at + 8);
        try {
          read(damaged);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }),
      { numRuns: byTestDepth(300, 1_000) },
    );
  });

  test("that claim a huge size are refused before anything is decoded", () => {
    const huge = jpegFile(16, 16);
    const at = huge.indexOf(Buffer.from([0xff, 0xc0]));
    huge.writeUInt16BE(65_000, at + 5);
    huge.writeUInt16BE(65_000, at + 7);
    expect(() => read(huge)).toThrow("too large to be unpacked");
  });

  test("with more scans than any camera writes are refused", () => {
    const file = flatJpeg({ width: 8, height: 8, components: [[1, 1]], restartInterval: 0 }, () => 9);
    const scan = file.lastIndexOf(Buffer.from([0xff, 0xda]));
    const again = file.subarray(scan, file.length - 2);
    const many = Buffer.concat([
      file.subarray(0, scan),
      ...Array.from({ length: 120 }, () => again),
      file.subarray(-2),
    ]);
    expect(() => read(many)).toThrow("no sensible order");
  });

  test("of an unsupported kind get their own error message", () => {
    const lossless = jpegFile(16, 16);
    lossless[lossless.indexOf(Buffer.from([0xff, 0xc0])) + 1] = 0xc3;
    expect(() => read(lossless)).toThrow("kind of JPEG cannot be read");
    expect(() => read(Buffer.from([0xff, 0xd8, 0xff, 0xd9, 0, 0]))).toThrow("holds no picture");
  });
});
