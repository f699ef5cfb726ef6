/** Decodes bodies that a gateway compressed although it was asked not to. */
import type { IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import { isMemberError, decodeMembers } from "./gzip-members.ts";
import { IncomingBody } from "./incoming-body.ts";
import { StreamFormatError } from "./sse.ts";
import type { TransportResponse } from "./transport.ts";
import { splitAtFrames, mayBeginFrame } from "./zstd-frames.ts";

/**
 * The bytes as they were before compression. An unknown encoding is an error of the body, not of the process. `onOver` is called
 * once no more bytes will come.
 */
export function decodedBody(incoming: IncomingMessage, onOver: () => void): TransportResponse["body"] {
  const listed = incoming.headers["content-encoding"]?.toLowerCase().split(",") ?? [];
  const encodings = listed.map((each) => each.trim()).filter((each) => each !== "" && each !== "identity");
  const packed = new IncomingBody(incoming, onOver);
  // The last encoding in the list was applied last.
  return encodings.reduceRight<TransportResponse["body"]>(unpack, packed);
}

/** Gateways that decode an answer may pass its header on: the body may be plain by now, or the encoding listed twice. */
async function* unpack(packed: AsyncIterable<Uint8Array>, encoding: string): AsyncGenerator<Uint8Array, undefined> {
  const iterator = packed[Symbol.asyncIterator]();
  try {
    const first = await iterator.next();
    if (first.done === true) return;
    const all = prepend(first.value, iterator);
    if (isPlain(first.value, encoding)) return yield* all;
    const decoder = createDecoder(encoding, first.value);
    if (decoder === undefined)
      throw new StreamFormatError(`compressed its answer in a way nobody asked for (${encoding.slice(0, 40)})`);
    yield* decode(encoding === "zstd" ? splitAtFrames(all) : all, decoder);
  } finally {
    await iterator.return?.();
  }
}

async function* prepend(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  yield first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

/** Matches the beginnings of events, JSON and pages; nothing compressed begins that way. */
const startOfText = /^(?:\u00EF\u00BB\u00BF)?\s*(?:\{\s*"|<[!?a-z]|:|(?:event|data|id|retry):)/iu;

/** False if the first byte rules the encoding out, however few bytes have come. Unlike compressed data, text may begin with anything. */
function mayBegin(bytes: Uint8Array, encoding: string): boolean {
  if (encoding === "zstd") return mayBeginFrame(bytes);
  return bytes[0] === 0x1f || (encoding !== "gzip" && encoding !== "x-gzip");
}

function isPlain(bytes: Uint8Array, encoding: string): boolean {
  return startOfText.test(Buffer.from(bytes.subarray(0, 100)).toString("latin1")) || !mayBegin(bytes, encoding);
}

/** Yields everything that came before the connection broke, and throws only then: it may be the whole answer. */
async function* decode(packed: AsyncIterable<Uint8Array>, decoder: Transform): AsyncGenerator<Uint8Array, undefined> {
  // The reader gets the error too. Without a listener it would be thrown when nobody reads any more.
  decoder.on("error", () => undefined);
  const packedBytes: Uint8Array[] = [];
  const feeding = feed(packed, decoder, packedBytes);
  let count = 0;
  try {
    for await (const bytes of decoder as AsyncIterable<Uint8Array>) {
      count += bytes.byteLength;
      yield bytes;
    }
    const failure = await feeding;
    if (failure !== undefined) throw failure;
  } catch (error) {
    const whole = isMemberError(error) ? decodeMembers(Buffer.concat(packedBytes)) : undefined;
    if (whole === undefined) throw error;
    if (whole.byteLength > count) yield whole.subarray(count);
  }
}

/** Returns the error that ended the input, if any. `packedBytes` collects the bytes passed to the decoder. */
async function feed(
  packed: AsyncIterable<Uint8Array>,
  decoder: Transform,
  packedBytes: Uint8Array[],
): Promise<Error | undefined> {
  let failure: Error | undefined;
  try {
    for await (const bytes of packed) {
      packedBytes.push(bytes);
      await writeTo(decoder, bytes);
    }
  } catch (error) {
    failure = error as Error;
  }
  decoder.end();
  return failure;
}

function writeTo(decoder: Transform, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    decoder.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

function createDecoder(encoding: string, [first = 0]: Uint8Array): Transform | undefined {
  const zlib = process.getBuiltinModule("node:zlib");
  // A truncated body ends where it was cut; the reader of the message notices what is missing.
  const lenient = { finishFlush: zlib.constants.Z_SYNC_FLUSH };
  switch (encoding) {
    case "gzip":
    case "x-gzip":
      return zlib.createGunzip(lenient);
    case "deflate":
      // Some servers leave out the zlib header.
      return (first & 0x0f) === 8 ? zlib.createInflate(lenient) : zlib.createInflateRaw(lenient);
    case "br":
      return zlib.createBrotliDecompress({ finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH });
    case "zstd":
      return zlib.createZstdDecompress({ finishFlush: zlib.constants.ZSTD_e_flush });
    default:
      return undefined;
  }
}
