import fc from "fast-check";
import { expect, test } from "vitest";
import { pictureSize } from "../../src/lib/image-header.ts";

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))));
const padding = Array.from({ length: 30 }, () => 0);

/** 640 × 480 in each format's own way of saying it. */
const pictures: [string, Buffer][] = [
  ["PNG", bytes("\x89PNG\r\n\x1a\n", [0, 0, 0, 13], "IHDR", [0, 0, 2, 128, 0, 0, 1, 224], padding)],
  ["GIF", bytes("GIF89a", [128, 2, 224, 1], padding)],
  [
    "lossy WebP",
    bytes("RIFF", [0, 0, 0, 0], "WEBPVP8 ", [0, 0, 0, 0, 0, 0, 0, 0x9d, 0x01, 0x2a, 128, 2, 224, 1], padding),
  ],
  ["lossless WebP", bytes("RIFF", [0, 0, 0, 0], "WEBPVP8L", [0, 0, 0, 0, 0x2f, 0x7f, 0xc2, 0x77, 0x00], padding)],
  ["extended WebP", bytes("RIFF", [0, 0, 0, 0], "WEBPVP8X", [10, 0, 0, 0, 0, 0, 0, 0, 127, 2, 0, 223, 1, 0], padding)],
  [
    "JPEG",
    bytes(
      [0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xff, 0xdb, 0, 4, 0, 0, 0xff, 0xc2, 0, 17, 8, 1, 224, 2, 128],
      padding,
    ),
  ],
];

test.each(pictures)("reads the size of a %s picture", (_name, picture) => {
  expect(pictureSize(picture)).toEqual({ width: 640, height: 480 });
});

test.each(pictures)("never reads a wrong size from a %s picture that is cut short", (_name, picture) => {
  for (let length = 0; length < picture.length; length++) {
    const size = pictureSize(picture.subarray(0, length));
    if (size !== undefined) expect(size).toEqual({ width: 640, height: 480 });
  }
});

test("never throws for any bytes, and never returns a size of zero", () => {
  fc.assert(
    fc.property(fc.constantFrom(...pictures), fc.array(fc.tuple(fc.nat(60), fc.nat(255))), ([, picture], changes) => {
      const changed = Buffer.from(picture);
      for (const [at, value] of changes) changed[at % changed.length] = value;
      const size = pictureSize(changed);
      if (size !== undefined) expect(Math.min(size.width, size.height)).toBeGreaterThan(0);
    }),
  );
  expect(pictureSize(bytes("GIF89a", [0, 0, 0, 0], padding))).toBeUndefined();
});
