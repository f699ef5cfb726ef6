/** Sizes of images and page counts of documents, read from their headers: enough to apply the published limits. */

export interface ImageSize {
  width: number;
  height: number;
  mediaType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
}

/** Undefined if the bytes are none of the four formats, or end before the size is known. */
function imageSize(bytes: Uint8Array): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const ascii = (from: number, to: number) => String.fromCharCode(...bytes.subarray(from, to));
  if (bytes.length >= 24 && view.getUint32(0) === 0x89504e47 && ascii(12, 16) === "IHDR") {
    return { width: view.getUint32(16), height: view.getUint32(20), mediaType: "image/png" };
  }
  if (bytes.length >= 10 && /^GIF8[79]a$/.test(ascii(0, 6))) {
    return { width: view.getUint16(6, true), height: view.getUint16(8, true), mediaType: "image/gif" };
  }
  if (bytes.length >= 30 && ascii(0, 4) === "RIFF" && ascii(8, 12) === "WEBP") return webpSize(view, ascii(12, 16));
  if (bytes.length >= 4 && view.getUint16(0) === 0xffd8) return jpegSize(view);
  return undefined;
}

/** https://developers.google.com/speed/webp/docs/riff_container: lossy, lossless and extended headers differ. */
function webpSize(view: DataView, chunk: string): ImageSize | undefined {
  const mediaType = "image/webp";
  if (chunk === "VP8 ") {
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff, mediaType };
  }
  if (chunk === "VP8L") {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, mediaType };
  }
  if (chunk === "VP8X") {
    const width = 1 + (view.getUint16(24, true) | (view.getUint8(26) << 16));
    const height = 1 + (view.getUint16(27, true) | (view.getUint8(29) << 16));
    return { width, height, mediaType };
  }
  return undefined;
}

/** Walks the segments to the first start-of-frame (C0 to CF except C4, C8 and CC, which are tables). */
function jpegSize(view: DataView): ImageSize | undefined {
  let at = 2;
  while (at + 9 <= view.byteLength) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at++;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7), mediaType: "image/jpeg" };
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

const headerBase64 = 8192;

/** Decodes only the head at first: photographs have their size in the first kilobytes unless their metadata is large. */
export function base64ImageSize(data: string): ImageSize | undefined {
  const head = imageSize(Buffer.from(data.slice(0, headerBase64), "base64"));
  if (head !== undefined || data.length <= headerBase64) return head;
  return imageSize(Buffer.from(data, "base64"));
}

/** The number of uncompressed page objects, or the page tree's own count if objects are compressed. At least 1. */
export function pdfPages(bytes: Uint8Array): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const pages = text.match(/\/Type\s*\/Page(?![a-zA-Z])/g)?.length ?? 0;
  let counted = 0;
  for (const match of text.matchAll(/\/Count\s+(\d+)/g)) counted = Math.max(counted, Number(match[1]));
  return Math.max(1, pages, counted);
}

/** Why the API would not open the document, in its own words; undefined if it would. */
export function pdfProblem(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  if (!text.slice(0, 1024).includes("%PDF-")) return "The PDF specified was not valid.";
  return /\/Encrypt\s+(?:\d+\s+\d+\s+R|<<)/.test(text) ? "The PDF specified is password protected." : undefined;
}
