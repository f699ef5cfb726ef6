import { decode } from "jpeg-js";
import { describe, expect, test } from "vitest";
import { pictureSize, pictureType } from "../../../src/lib/image-header.ts";
import { exifOrientation } from "../../../src/lib/image/orientation.ts";
import { convert } from "../../../src/lib/image/convert.ts";
import { readPng } from "../../../src/lib/image/png-read.ts";
import { shrink } from "../../../src/lib/image/shrink.ts";
import { jpegFile, noise, plainPng, pngFile, paintQuarters } from "../../support/pictures.ts";

const never = new AbortController().signal;
const mostBytes = 3_900_000;

/** Red of the pixel at these shares of width and height. */
function redAt(file: Uint8Array, x: number, y: number): number {
  const { width, height } = pictureSize(file)!;
  const rows: number[][] = [];
  if (pictureType(file) === "image/png") {
    readPng(Buffer.from(file), { row: (values) => rows.push([...values]) });
    return rows[Math.floor(y * height)]![Math.floor(x * width) * 4]!;
  }
  const { data } = decode(file, { useTArray: true });
  return data[(Math.floor(y * height) * width + Math.floor(x * width)) * 4]!;
}

test("shrinks a PNG in a thread, and it stays a sharp PNG with its colours", async () => {
  const file = plainPng(800, 400, paintQuarters(800, 400));
  const made = await shrink({ bytes: file, target: { width: 400, height: 200 }, mostBytes }, never);
  expect([made.type, pictureType(made.bytes), made.size, made.original]).toEqual([
    "image/png",
    "image/png",
    { width: 400, height: 200 },
    { width: 800, height: 400 },
  ]);
  expect(pictureSize(made.bytes)).toEqual(made.size);
  expect([redAt(made.bytes, 0.25, 0.5), redAt(made.bytes, 0.75, 0.5)]).toEqual([250, 10]);
});

test("keeps a JPEG a JPEG, and turns it upright however the camera was held", async () => {
  // Left half light, right half dark, as stored.
  const stored = (orientation: number) => jpegFile(160, 80, paintQuarters(160, 80), orientation);
  for (const [orientation, light, dark] of [
    [1, [0.1, 0.5], [0.9, 0.5]],
    [2, [0.9, 0.5], [0.1, 0.5]],
    [3, [0.9, 0.5], [0.1, 0.5]],
    [4, [0.1, 0.5], [0.9, 0.5]],
    [5, [0.5, 0.1], [0.5, 0.9]],
    [6, [0.5, 0.1], [0.5, 0.9]],
    [7, [0.5, 0.9], [0.5, 0.1]],
    [8, [0.5, 0.9], [0.5, 0.1]],
  ] as const) {
    const made = await convert({ bytes: stored(orientation), target: { width: 80, height: 40 }, mostBytes });
    const turned = orientation >= 5;
    expect([orientation, made.type, made.size, made.original]).toEqual([
      orientation,
      "image/jpeg",
      turned ? { width: 40, height: 80 } : { width: 80, height: 40 },
      turned ? { width: 80, height: 160 } : { width: 160, height: 80 },
    ]);
    expect(redAt(made.bytes, light[0], light[1])).toBeGreaterThan(200);
    expect(redAt(made.bytes, dark[0], dark[1])).toBeLessThan(60);
  }
});

test("turns a PNG of noise into a JPEG that fits the limit", async () => {
  const file = plainPng(900, 700, noise);
  expect(file.length).toBeGreaterThan(1_800_000);
  const made = await convert({ bytes: file, target: { width: 900, height: 700 }, mostBytes: 1_200_000 });
  expect(made.type).toBe("image/jpeg");
  expect(made.bytes.length).toBeLessThan(1_200_000);
});

test("puts transparent pixels on white when a PNG becomes a JPEG", async () => {
  const kind = { width: 60, height: 40, type: 6, depth: 8 } as const;
  const half = (x: number, y: number, channel: number): number =>
    channel === 3 ? (x < 30 ? 0 : 255) : noise(x, y)[channel]!;
  const bytes = pngFile(kind, half);
  const target = { width: 60, height: 40 };
  const [sharp, flat] = [
    await convert({ bytes, target, mostBytes }),
    await convert({ bytes, target, mostBytes: 3_000 }),
  ];
  expect([sharp.type, flat.type]).toEqual(["image/png", "image/jpeg"]);
  expect([redAt(sharp.bytes, 0.2, 0.5) < 10, redAt(flat.bytes, 0.2, 0.5) > 240]).toEqual([true, true]);
});

describe("a picture that cannot be made smaller", () => {
  const target = { width: 10, height: 10 };
  const fine = plainPng(40, 40, noise);
  test.each<[string, Buffer, RegExp]>([
    ["a cut PNG", fine.subarray(0, fine.length - 200), /^its data is (cut|damaged)/],
    ["a PNG of other data", Buffer.concat([fine.subarray(0, 60), Buffer.alloc(500, 7)]), /damaged|cut|no picture/],
    ["a cut JPEG header", jpegFile(40, 40).subarray(0, 12), /header is damaged or cut/],
    ["a JPEG of other data", Buffer.concat([jpegFile(40, 40).subarray(0, 190), Buffer.alloc(90, 0xff)]), /.+/],
    ["a GIF", Buffer.from("GIF89a\x28\0\x28\0\0\0\0\0\0\0\0\0", "latin1"), /format cannot be read here/],
  ])("is rejected with a reason: %s", async (_name, bytes, why) => {
    await expect(shrink({ bytes, target, mostBytes }, never)).rejects.toThrow(why);
  });

  test("is rejected after an interruption, and the tasks that wait behind it continue", async () => {
    const controller = new AbortController();
    const slow = plainPng(1000, 1000, paintQuarters(1000, 1000));
    const tasks = [controller.signal, controller.signal, controller.signal, never].map((signal) =>
      shrink({ bytes: slow, target: { width: 300, height: 300 }, mostBytes }, signal).then(
        (made) => made.size.width,
        (error: Error) => error.message,
      ),
    );
    controller.abort();
    const interrupted = "making it smaller was interrupted";
    expect(await Promise.all(tasks)).toEqual([interrupted, interrupted, interrupted, 300]);
  });
});

// Most cameras write the bytes of a number the other way round than jpegFile() does.
test.each([
  ["the last byte first", "49492a0008000000" + "0100" + "120103000100000006000000", 6],
  ["the first byte first", "4d4d002a00000008" + "0001" + "011200030000000100060000", 6],
  ["a table beyond the end", "49492a00ffffffff", 1],
  ["a truncated table", "49492a0008000000" + "0200" + "000103000100000006000000" + "1201", 1],
  ["an invalid value", "49492a0008000000" + "0100" + "120103000100000009000000", 1],
])("the orientation is read from Exif data with %s", (_, tiff, orientation) => {
  const data = Buffer.concat([Buffer.from("Exif\0\0"), Buffer.from(tiff, "hex")]);
  const head = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 1, 0xff, 0xe1, 0, data.length + 2]);
  expect(exifOrientation(Buffer.concat([head, data, Buffer.from([0xff, 0xda, 0, 2])]))).toBe(orientation);
});
