import fc from "fast-check";
import { expect, test } from "vitest";
import { Scaler } from "../../../src/lib/image/scale.ts";

function scale(width: number, height: number, to: { width: number; height: number }, pixels: ArrayLike<number>) {
  const scaler = new Scaler({ width, height }, to);
  const all = Uint8Array.from(pixels);
  for (let y = 0; y < height; y++) scaler.row(all.subarray(y * width * 4, (y + 1) * width * 4), 4);
  return scaler.finish();
}

const sizes = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 })).chain(([width, height]) =>
  fc.record({
    width: fc.constant(width),
    height: fc.constant(height),
    toWidth: fc.integer({ min: 1, max: width }),
    toHeight: fc.integer({ min: 1, max: height }),
  }),
);

test("a picture of one colour keeps that colour, whatever the sizes", () => {
  const colour = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.constantFrom(255, 255, 128, 40));
  fc.assert(
    fc.property(sizes, colour, ({ width, height, toWidth, toHeight }, rgba) => {
      const made = scale(
        width,
        height,
        { width: toWidth, height: toHeight },
        Array.from({ length: width * height }, () => rgba).flat(),
      );
      expect(made.pixels).toHaveLength(toWidth * toHeight * 4);
      for (let at = 0; at < made.pixels.length; at++)
        expect(Math.abs(made.pixels[at]! - rgba[at % 4]!)).toBeLessThanOrEqual(1);
    }),
  );
});

test("scaling keeps the average of all pixels", () => {
  fc.assert(
    fc.property(sizes, fc.nat(), ({ width, height, toWidth, toHeight }, seed) => {
      const values = Array.from({ length: width * height }, (_, at) => Math.imul(at + seed, 2_654_435_761) >>> 24);
      const made = scale(
        width,
        height,
        { width: toWidth, height: toHeight },
        values.flatMap((value) => [value, 0, 0, 255]),
      );
      const before = values.reduce((sum, value) => sum + value, 0) / values.length;
      let sum = 0;
      for (let at = 0; at < made.pixels.length; at += 4) sum += made.pixels[at]!;
      expect(Math.abs(sum / (toWidth * toHeight) - before)).toBeLessThan(0.6);
    }),
  );
});

test("scaling to the same size changes nothing", () => {
  const pixels = Array.from({ length: 5 * 3 * 4 }, (_, at) => (at % 4 === 3 ? 255 : (at * 37) & 255));
  expect([...scale(5, 3, { width: 5, height: 3 }, pixels).pixels]).toEqual(pixels);
});

test("halving averages four pixels each, and transparent pixels add no colour", () => {
  const red = [200, 0, 0, 255];
  const clear = [0, 255, 0, 0];
  const made = scale(4, 2, { width: 2, height: 1 }, [
    ...red,
    ...red,
    ...red,
    ...clear,
    ...red,
    ...red,
    ...clear,
    ...clear,
  ]);
  expect([...made.pixels]).toEqual([200, 0, 0, 255, 200, 0, 0, 64]);
});
