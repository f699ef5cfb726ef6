/** Type and size of a picture from its first bytes, for the four formats models accept. Nothing is decoded, so a bomb cannot go off. */

export interface PictureSize {
  width: number;
  height: number;
}

export type PictureType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

/** Undefined if the bytes do not begin like any of the four. */
export function pictureType(bytes: Uint8Array): PictureType | undefined {
  if (bytes.length < 12) return undefined;
  switch (bytes[0]) {
    case 0x89:
      return startsWith(bytes, "\x89PNG\r\n\x1a\n") ? "image/png" : undefined;
    case 0xff:
      return startsWith(bytes, "\xff\xd8\xff") ? "image/jpeg" : undefined;
    case 0x47:
      return startsWith(bytes, "GIF87a") || startsWith(bytes, "GIF89a") ? "image/gif" : undefined;
    case 0x52:
      return startsWith(bytes, "RIFF") && startsWith(bytes, "WEBP", 8) ? "image/webp" : undefined;
    default:
      return undefined;
  }
}

/** Undefined if the bytes are not PNG, JPEG, GIF or WebP, or end before the size. */
export function pictureSize(bytes: Uint8Array): PictureSize | undefined {
  const size = fromPng(bytes) ?? fromGif(bytes) ?? fromWebp(bytes) ?? fromJpeg(bytes);
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
}

const big16 = (bytes: Uint8Array, at: number) => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
const little16 = (bytes: Uint8Array, at: number) => (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
const little24 = (bytes: Uint8Array, at: number) => little16(bytes, at) | ((bytes[at + 2] ?? 0) << 16);
const big32 = (bytes: Uint8Array, at: number) => big16(bytes, at) * 0x10000 + big16(bytes, at + 2);

function startsWith(bytes: Uint8Array, text: string, at = 0): boolean {
  if (bytes.length < at + text.length) return false;
  for (let index = 0; index < text.length; index++) if (bytes[at + index] !== text.charCodeAt(index)) return false;
  return true;
}

/** IHDR is the first chunk: https://www.w3.org/TR/png-3/#11IHDR */
function fromPng(bytes: Uint8Array): PictureSize | undefined {
  if (!startsWith(bytes, "\x89PNG\r\n\x1a\n") || !startsWith(bytes, "IHDR", 12) || bytes.length < 24) return undefined;
  return { width: big32(bytes, 16), height: big32(bytes, 20) };
}

function fromGif(bytes: Uint8Array): PictureSize | undefined {
  if (!(startsWith(bytes, "GIF87a") || startsWith(bytes, "GIF89a")) || bytes.length < 10) return undefined;
  return { width: little16(bytes, 6), height: little16(bytes, 8) };
}

/** Three kinds of first chunk: https://developers.google.com/speed/webp/docs/riff_container */
function fromWebp(bytes: Uint8Array): PictureSize | undefined {
  if (!startsWith(bytes, "RIFF") || !startsWith(bytes, "WEBP", 8) || bytes.length < 30) return undefined;
  if (startsWith(bytes, "VP8X", 12)) return { width: little24(bytes, 24) + 1, height: little24(bytes, 27) + 1 };
  if (startsWith(bytes, "VP8 ", 12))
    return { width: little16(bytes, 26) & 0x3fff, height: little16(bytes, 28) & 0x3fff };
  if (!startsWith(bytes, "VP8L", 12)) return undefined;
  const low = little16(bytes, 21);
  const all = low + little16(bytes, 23) * 0x10000;
  return { width: (low & 0x3fff) + 1, height: (Math.floor(all / 0x4000) & 0x3fff) + 1 };
}

/** SOF0 to SOF15, whose numbers DHT, JPG and DAC lie between: ITU T.81, table B.1. */
export function isFrameMarker(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** Walks the segments to the frame header: ITU T.81, B.2.2. */
function fromJpeg(bytes: Uint8Array): PictureSize | undefined {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined;
  let at = 2;
  while (at + 9 <= bytes.length) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (isFrameMarker(marker)) return { width: big16(bytes, at + 7), height: big16(bytes, at + 5) };
    const standsAlone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    at += standsAlone ? 2 : 2 + Math.max(2, big16(bytes, at + 2));
  }
  return undefined;
}
