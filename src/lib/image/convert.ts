/** Converts a PNG or JPEG file to a smaller one. Runs in a worker thread: a large picture takes seconds and much memory. */
import { pictureSize, pictureType, type PictureSize } from "../image-header.ts";
import { readJpeg } from "./jpeg-read.ts";
import { exifOrientation, turnUpright } from "./orientation.ts";
import { PictureError, type Picture } from "./picture.ts";
import { readPng } from "./png-read.ts";
import { writePng } from "./png-write.ts";
import { Scaler } from "./scale.ts";

export interface ConvertTask {
  bytes: Uint8Array;
  /** Target size in pixels, before the picture is turned upright; no side may be larger than the original. */
  target: PictureSize;
  /** The most bytes the new file may have. */
  mostBytes: number;
}

export interface Converted {
  bytes: Uint8Array;
  type: "image/png" | "image/jpeg";
  /** The size of the upright picture, as a person sees it. */
  size: PictureSize;
  original: PictureSize;
}

/** A PNG larger than this is not kept for its sharpness if a JPEG is much smaller. */
const mostSharpBytes = 1 << 20;
const qualities = [85, 60, 35];

/** Throws a `PictureError`, or errors of the decoders for damaged data. */
export async function convert({ bytes, target, mostBytes }: ConvertTask): Promise<Converted> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = pictureSize(file);
  if (size === undefined) throw new PictureError("its header is damaged or cut");
  const type = pictureType(file);
  const scaler = new Scaler(size, target);
  if (type === "image/png") readPng(file, scaler);
  else if (type === "image/jpeg") readJpeg(file, scaler);
  else throw new PictureError("its format cannot be read here");
  const orientation = type === "image/jpeg" ? exifOrientation(file) : 1;
  const picture = turnUpright(scaler.finish(), orientation);
  const isTurned = orientation >= 5;
  const original = isTurned ? { width: size.height, height: size.width } : size;
  const written = await encodePicture(picture, type, mostBytes);
  return { ...written, size: { width: picture.width, height: picture.height }, original };
}

async function encodePicture(
  picture: Picture,
  from: "image/png" | "image/jpeg",
  mostBytes: number,
): Promise<Pick<Converted, "bytes" | "type">> {
  const sharp = from === "image/png" ? writePng(picture) : undefined;
  if (sharp !== undefined && sharp.length <= Math.min(mostSharpBytes, mostBytes)) return { bytes: sharp, type: from };
  const { encode } = await import("jpeg-js");
  const flat = { ...picture, data: blendWithWhite(picture.pixels) };
  for (const quality of qualities) {
    const bytes = encode(flat, quality).data;
    if (sharp !== undefined && sharp.length <= mostBytes && bytes.length * 2 > sharp.length)
      return { bytes: sharp, type: "image/png" };
    if (bytes.length <= mostBytes) return { bytes, type: "image/jpeg" };
  }
  throw new PictureError("it stays too large");
}

/** Blends with white: JPEG has no transparency. */
function blendWithWhite(pixels: Uint8Array): Uint8Array {
  const flat = new Uint8Array(pixels.length);
  for (let at = 0; at < pixels.length; at += 4) {
    const alpha = pixels[at + 3]!;
    for (let c = 0; c < 3; c++) flat[at + c] = Math.round((pixels[at + c]! * alpha + 255 * (255 - alpha)) / 255);
    flat[at + 3] = 255;
  }
  return flat;
}
