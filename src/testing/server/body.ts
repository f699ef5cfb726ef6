/** Reads request bodies. */
export class BodyReader {
  /** Throws a `SyntaxError` where the bytes are no JSON. */
  read(body: Uint8Array | string): unknown {
    const text = typeof body === "string" ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8");
    return JSON.parse(text);
  }
}
