/** Reads a camera's orientation from a JPEG's Exif data, and turns pictures upright: a new file has no Exif data. */
import type { Picture } from "./picture.ts";

/** 1 (upright) to 8, as in Exif tag 0x0112; 1 if there is none. */
export function exifOrientation(bytes: Buffer): number {
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1]!;
    const length = bytes.readUInt16BE(at + 2);
    if (marker === 0xe1 && bytes.toString("latin1", at + 4, at + 10) === "Exif\0\0")
      return readOrientation(bytes.subarray(at + 10, at + 2 + length));
    if (marker === 0xda || length < 2) return 1;
    at += 2 + length;
  }
  return 1;
}

function readOrientation(tiff: Buffer): number {
  if (tiff.length < 8) return 1;
  const isLittle = tiff.toString("latin1", 0, 2) === "II";
  const two = (at: number): number =>
    at + 2 > tiff.length ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at);
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  const count = two(directory);
  for (let index = 0; index < count; index++) {
    const entry = directory + 2 + index * 12;
    if (entry + 12 > tiff.length) return 1;
    if (two(entry) !== 0x0112) continue;
    const value = two(entry + 8);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

export function turnUpright(picture: Picture, orientation: number): Picture {
  if (orientation === 1) return picture;
  const { width, height, pixels } = picture;
  const isTurned = orientation >= 5;
  const to = { width: isTurned ? height : width, height: isTurned ? width : height };
  const turned = new Uint8Array(pixels.length);
  for (let y = 0; y < to.height; y++) {
    for (let x = 0; x < to.width; x++) {
      const [fromX, fromY] = sourcePosition(orientation, x, y, width, height);
      const from = (fromY * width + fromX) * 4;
      const at = (y * to.width + x) * 4;
      for (let c = 0; c < 4; c++) turned[at + c] = pixels[from + c]!;
    }
  }
  return { ...to, pixels: turned };
}

/** The position in the stored picture of a pixel of the upright picture. */
function sourcePosition(orientation: number, x: number, y: number, width: number, height: number): [number, number] {
  switch (orientation) {
    case 2:
      return [width - 1 - x, y];
    case 3:
      return [width - 1 - x, height - 1 - y];
    case 4:
      return [x, height - 1 - y];
    case 5:
      return [y, x];
    case 6:
      return [y, height - 1 - x];
    case 7:
      return [width - 1 - y, height - 1 - x];
    case 8:
      return [width - 1 - y, x];
    default:
      return [x, y];
  }
}
