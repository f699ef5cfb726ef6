/** Kind and size of an image from its header alone: nothing is decoded, so a bomb stays shut. */

export type ImageMediaType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

export interface ImageSize {
  width: number;
  height: number;
}

export function imageMediaType(head: Buffer): ImageMediaType | undefined {
  if (head.length < 12) return undefined;
  const start = head.toString("latin1", 0, 12);
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (start.startsWith("GIF87a") || start.startsWith("GIF89a")) return "image/gif";
  if (start.startsWith("RIFF") && start.endsWith("WEBP")) return "image/webp";
  return undefined;
}

/** Pixels; undefined where the header is cut or damaged. */
export function imageSize(bytes: Buffer, type: ImageMediaType): ImageSize | undefined {
  try {
    const size = readers[type](bytes);
    return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
  } catch (error) {
    // A read past the end: the header is cut.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const readers: Record<ImageMediaType, (bytes: Buffer) => ImageSize | undefined> = {
  "image/png": (bytes) => ({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }),
  "image/gif": (bytes) => ({ width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }),
  "image/jpeg": readJpeg,
  "image/webp": readWebp,
};

/** Walks the segments to the frame header (SOF0 to SOF15, without DHT, JPG and DAC). */
function readJpeg(bytes: Buffer): ImageSize | undefined {
  let at = 2;
  while (at < bytes.length) {
    if (bytes.readUInt8(at) !== 0xff) return undefined;
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

function readWebp(bytes: Buffer): ImageSize | undefined {
  const chunk = bytes.toString("latin1", 12, 16);
  if (chunk === "VP8X") return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (chunk === "VP8 ") return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (chunk !== "VP8L") return undefined;
  const packed = bytes.readUInt32LE(21);
  return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
}
