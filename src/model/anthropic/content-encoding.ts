/** Bodies that a gateway compressed although it was asked not to. */
import type { IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import { isAtMember, wholeMembers } from "./gzip-members.ts";
import { IncomingBody } from "./incoming-body.ts";
import { StreamFormatError } from "./sse.ts";
import type { TransportResponse } from "./transport.ts";

/**
 * The bytes as they were before compression. An encoding nobody knows is an error of the body, not of the process. `onOver` is
 * called once no more will come.
 */
export function decodedBody(incoming: IncomingMessage, onOver: () => void): TransportResponse["body"] {
  const encoding = incoming.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (encoding === "identity" || encoding === "") return new IncomingBody(incoming, onOver);
  const packed = new IncomingBody(incoming, onOver);
  const decoder = decoderOf(encoding);
  return decoder === undefined ? unreadable(packed, encoding) : decoded(packed, decoder);
}

/** All that came before the connection broke, and only then that it did: it may be the whole answer. */
async function* decoded(packed: IncomingBody, decoder: Transform): AsyncGenerator<Uint8Array, undefined> {
  // The reader meets it too; without a listener it would be thrown where nobody reads any more.
  decoder.on("error", () => undefined);
  const given: Uint8Array[] = [];
  const fed = feed(packed, decoder, given);
  let count = 0;
  try {
    for await (const bytes of decoder as AsyncIterable<Uint8Array>) {
      count += bytes.byteLength;
      yield bytes;
    }
    const broken = await fed;
    if (broken !== undefined) throw broken;
  } catch (error) {
    const whole = isAtMember(error) ? wholeMembers(Buffer.concat(given)) : undefined;
    if (whole === undefined) throw error;
    if (whole.byteLength > count) yield whole.subarray(count);
  } finally {
    await packed.return();
  }
}

/** Answers with what it broke off for. `given`: what the decoder was given so far. */
async function feed(packed: IncomingBody, decoder: Transform, given: Uint8Array[]): Promise<Error | undefined> {
  let broken: Error | undefined;
  try {
    for await (const bytes of packed) {
      given.push(bytes);
      await written(decoder, bytes);
    }
  } catch (error) {
    broken = error as Error;
  }
  decoder.end();
  return broken;
}

function written(decoder: Transform, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    decoder.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

function decoderOf(encoding: string): Transform | undefined {
  const zlib = process.getBuiltinModule("node:zlib");
  // A body that was cut ends where it was cut: what is missing the reader of the message notices.
  const lenient = { finishFlush: zlib.constants.Z_SYNC_FLUSH };
  switch (encoding) {
    case "gzip":
    case "x-gzip":
      return zlib.createGunzip(lenient);
    case "deflate":
      return zlib.createInflate(lenient);
    case "br":
      return zlib.createBrotliDecompress({ finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH });
    default:
      return undefined;
  }
}

function unreadable(packed: IncomingBody, encoding: string): AsyncIterable<Uint8Array> {
  const what = `compressed its answer in a way nobody asked for (${encoding.slice(0, 40)})`;
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => packed.return().then(() => Promise.reject(new StreamFormatError(what))),
    }),
  };
}
