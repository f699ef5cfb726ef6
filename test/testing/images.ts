/** Headers of images and documents of any size, with nothing behind them: all that limits look at. */

export function png(width: number, height: number): string {
  const bytes = Buffer.alloc(33);
  bytes.write("89504e470d0a1a0a0000000d49484452", 0, "hex");
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes.toString("base64");
}

export function gif(width: number, height: number): string {
  const bytes = Buffer.alloc(13);
  bytes.write("GIF89a", 0, "latin1");
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  return bytes.toString("base64");
}

/** @param metadata bytes of a first segment that readers must pass over. */
export function jpeg(width: number, height: number, metadata = 0): string {
  const application = Buffer.alloc(4 + metadata);
  application.writeUInt16BE(0xffe1, 0);
  application.writeUInt16BE(2 + metadata, 2);
  const frame = Buffer.alloc(19);
  frame.writeUInt16BE(0xffc0, 0);
  frame.writeUInt16BE(17, 2);
  frame.writeUInt8(8, 4);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), application, frame]).toString("base64");
}

export function webp(kind: "VP8 " | "VP8L" | "VP8X", width: number, height: number): string {
  const bytes = Buffer.alloc(30);
  bytes.write("RIFF", 0, "latin1");
  bytes.write(`WEBP${kind}`, 8, "latin1");
  if (kind === "VP8 ") {
    bytes.writeUInt16LE(width, 26);
    bytes.writeUInt16LE(height, 28);
  } else if (kind === "VP8L") {
    bytes.writeUInt32LE((width - 1) | ((height - 1) << 14), 21);
  } else {
    bytes.writeUIntLE(width - 1, 24, 3);
    bytes.writeUIntLE(height - 1, 27, 3);
  }
  return bytes.toString("base64");
}

export function image(data: string, mediaType = "image/png") {
  return { type: "image", source: { type: "base64", media_type: mediaType, data } };
}

export function document(text: string) {
  const data = Buffer.from(text).toString("base64");
  return { type: "document", source: { type: "base64", media_type: "application/pdf", data } };
}

export function pdf(pages: number) {
  return document(`%PDF-1.7\n${"<< /Type /Page >>\n".repeat(pages)}`);
}
