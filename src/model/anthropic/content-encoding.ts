/** Bodies that a gateway compressed although it was asked not to. */
import type { IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
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
  incoming.once("end", onOver);
  // The reader of the body meets it too; without a listener it would be thrown where nobody reads any more.
  incoming.on("error", onOver);
  const decoder = decoderOf(encoding);
  if (decoder === undefined) return unreadable(incoming, encoding);
  const { pipeline } = process.getBuiltinModule("node:stream");
  // The reader of the decoder meets the error too.
  pipeline(incoming, decoder, () => undefined);
  return decoder;
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

function unreadable(incoming: IncomingMessage, encoding: string): AsyncIterable<Uint8Array> {
  incoming.resume();
  const what = `compressed its answer in a way nobody asked for (${encoding.slice(0, 40)})`;
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new StreamFormatError(what)) }) };
}
