import fc from "fast-check";
import { expect, test } from "vitest";
import { readPng } from "../../../src/lib/image/png-read.ts";
import { writePng } from "../../../src/lib/image/png-write.ts";
import type { RowSink } from "../../../src/lib/image/picture.ts";
import { channelsOf, noise, plainPng, pngFile, type PngKind } from "../../support/pictures.ts";

class Collected implements RowSink {
  readonly rows: number[][] = [];
  row(values: Uint8Array, channels: 3 | 4): void {
    expect(channels).toBe(4);
    this.rows.push([...values]);
  }
}

function read(file: Buffer): number[] {
  const sink = new Collected();
  readPng(file, sink);
  return sink.rows.flat();
}

const kinds = [
  ...([1, 2, 4, 8, 16] as const).map((depth) => ({ type: 0 as const, depth })),
  ...([1, 2, 4, 8] as const).map((depth) => ({ type: 3 as const, depth })),
  ...([2, 4, 6] as const).flatMap((type) => ([8, 16] as const).map((depth) => ({ type, depth }))),
];

const file = fc.record({
  kind: fc.constantFrom(...kinds),
  width: fc.integer({ min: 1, max: 20 }),
  height: fc.integer({ min: 1, max: 20 }),
  interlaced: fc.boolean(),
  filters: fc.array(fc.nat(4), { minLength: 1, maxLength: 5 }),
  seed: fc.nat(),
  clear: fc.boolean(),
});

/** The sample's value in eight bits. */
const scaled = (value: number, depth: number): number =>
  depth === 16 ? value >> 8 : Math.round((value * 255) / (2 ** depth - 1));

test("decodes every colour type, filter and interlacing to the original pixels", () => {
  fc.assert(
    fc.property(file, ({ kind: { type, depth }, width, height, interlaced, filters, seed, clear }) => {
      const sample = (x: number, y: number, channel: number): number =>
        (noise(x * 5 + channel + seed, y)[0] * 257) & (2 ** depth - 1);
      const palette = Uint8Array.from({ length: 3 * 256 }, (_, at) => (at * 7 + seed) & 255);
      const gone = [0, 1, 2].map((channel) => sample(0, 0, type === 2 ? channel : 0));
      const clearColour = Buffer.alloc(6);
      gone.forEach((value, at) => clearColour.writeUInt16BE(value, at * 2));
      const made: PngKind = { width, height, type, depth, interlaced, filter: (y) => filters[y % filters.length]! };
      if (type === 3) made.palette = palette.subarray(0, 3 * 2 ** depth);
      if (clear && type === 0) made.transparency = clearColour.subarray(0, 2);
      if (clear && type === 2) made.transparency = clearColour;
      if (clear && type === 3) made.transparency = Uint8Array.of(9, 200);
      const expected: number[] = [];
      for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++) {
          const own = Array.from({ length: channelsOf[type] }, (_, channel) => sample(x, y, channel));
          const colour = type === 2 || type === 6 ? own.slice(0, 3) : [own[0]!, own[0]!, own[0]!];
          if (type === 3) {
            expected.push(...palette.subarray(own[0]! * 3, own[0]! * 3 + 3), (clear ? [9, 200][own[0]!] : 255) ?? 255);
            continue;
          }
          const isClear = clear && (type === 0 || type === 2) && colour.every((value, at) => value === gone[at]);
          const alpha = type === 4 || type === 6 ? scaled(own.at(-1)!, depth) : isClear ? 0 : 255;
          expected.push(...colour.map((value) => scaled(value, depth)), alpha);
        }
      expect(read(pngFile(made, sample))).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

test("reads back exactly the pixels that were written", () => {
  const pixels = fc.uint8Array({ minLength: 4 * 12, maxLength: 4 * 12 });
  fc.assert(
    fc.property(pixels, fc.constantFrom(1, 2, 3, 4, 6, 12), fc.boolean(), (values, width, opaque) => {
      if (opaque) for (let at = 3; at < values.length; at += 4) values[at] = 255;
      const written = writePng({ width, height: 12 / width, pixels: values });
      expect(written[25]).toBe(values.every((value, at) => at % 4 !== 3 || value === 255) ? 2 : 6);
      expect(read(written)).toEqual([...values]);
    }),
  );
});

test("damage causes an error or wrong pixels, and never more rows than the header says", () => {
  const whole = pngFile({ width: 9, height: 7, type: 6, depth: 8 }, (x, y, channel) => noise(x + channel, y)[0]);
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 6 }), fc.nat(), (changes, end) => {
      const damaged = Buffer.from(whole.subarray(0, end % 3 === 0 ? end % whole.length : whole.length));
      for (const [at, value] of changes) if (damaged.length > 0) damaged[at % damaged.length] = value;
      const sink = new Collected();
      try {
        readPng(damaged, sink);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
        return;
      }
      expect(sink.rows).toHaveLength(damaged.readUInt32BE(20));
    }),
    { numRuns: 500 },
  );
});

test("refuses data that unpacks to more than the header says, and a header with a huge size", () => {
  const bomb = plainPng(4000, 2000);
  bomb.writeUInt32BE(3, 20);
  expect(() => read(bomb)).toThrow(/larger|length|buffer/i);
  const huge = plainPng(1, 1);
  huge.writeUInt32BE(60_000, 16);
  huge.writeUInt32BE(60_000, 20);
  expect(() => read(huge)).toThrow("too large to be unpacked");
});
