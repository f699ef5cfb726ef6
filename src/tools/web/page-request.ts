/** One request for a page: only to checked addresses, with limits on time and size, optionally compressed. */
import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import type { LookupFunction } from "node:net";
import { bareHost } from "../../lib/hosts.ts";
import { requestOnce } from "../../lib/proxy.ts";
import { ToolError } from "../failure.ts";
import { addressProblem, type HostAddress } from "./page-url.ts";

export interface PageRequest {
  url: URL;
  /** The checked addresses of the host. */
  addresses: readonly HostAddress[];
  /** If set, the proxy is asked instead: it looks up the name itself. */
  proxy: URL | undefined;
  isNamed: boolean;
  /** The cookies of this host, which are sent; cookies that the answer sets are added. */
  cookies: Map<string, string>;
  mostBytes: number;
  signal: AbortSignal;
}

export interface PageAnswer {
  status: number;
  statusText: string;
  /** The target of a redirect, as the server wrote it. */
  location?: string;
  contentType: string;
  /** Decompressed, up to the limit. */
  body: Buffer;
  /** The body was longer than the limit. */
  isCut: boolean;
}

const headers = {
  accept: "text/markdown, text/html;q=0.9, text/*;q=0.8, */*;q=0.5",
  // No deflate: some servers leave out its header.
  "accept-encoding": "gzip, br",
  "accept-language": "en, *;q=0.5",
  "user-agent": "pawl (a coding agent; fetches a page for its user)",
};

/** Throws a `ToolError`; throws the signal's reason if it aborted. */
export async function requestPage(request: PageRequest): Promise<PageAnswer> {
  const { signal, mostBytes } = request;
  const answer = await sendRequest(request);
  const { statusCode: status = 0, statusMessage: statusText = "" } = answer;
  const { location, "content-type": contentType = "", "set-cookie": set = [] } = answer.headers;
  for (const cookie of set) keepCookie(cookie, request.cookies);
  try {
    const isRedirect = status >= 300 && status < 400 && location !== undefined;
    const read = isRedirect ? { body: Buffer.alloc(0), isCut: false } : await readBody(answer, mostBytes, signal);
    return { status, statusText, contentType, ...read, ...(isRedirect ? { location: decodeLocation(location) } : {}) };
  } finally {
    answer.destroy();
  }
}

function keepCookie(written: string, cookies: Map<string, string>): void {
  const [, name, value = ""] = /^\s*([^=;\s]+)\s*=([^;]*)/u.exec(written) ?? [];
  if (name === undefined) return;
  if (/;\s*max-age\s*=\s*(?:0|-\d+)\s*(?:;|$)/iu.test(written)) cookies.delete(name);
  else cookies.set(name, value.trim());
}

/** Node.js decodes headers as latin1; some servers send an address in UTF-8. */
function decodeLocation(location: string): string {
  const bytes = Buffer.from(location, "latin1");
  return isUtf8(bytes) ? bytes.toString() : location;
}

async function sendRequest({ url, addresses, isNamed, cookies, signal, proxy }: PageRequest): Promise<IncomingMessage> {
  const host = bareHost(url.hostname);
  const cookieHeader = Array.from(cookies, ([name, value]) => `${name}=${value}`).join("; ");
  const sent = cookieHeader === "" ? headers : { ...headers, cookie: cookieHeader };
  const lookupOptions = proxy === undefined ? { lookup: fixedLookup(addresses) } : {};
  return await new Promise((resolve, reject) => {
    const clientRequest = requestOnce(
      url,
      { headers: sent, signal, ...lookupOptions, maxHeaderSize: 65_536 },
      { proxy },
    );
    const judge = (address: string): void => {
      const problem = addressProblem(host, address, isNamed);
      if (problem !== undefined) clientRequest.destroy(new ToolError(problem));
    };
    if (proxy === undefined)
      clientRequest.on("socket", (socket) => socket.once("connect", () => judge(socket.remoteAddress ?? "")));
    clientRequest.once("response", resolve);
    clientRequest.once("error", (error) =>
      reject(signal.aborted || error instanceof ToolError ? error : unreachableError(host, error)),
    );
    // A protocol switch closes the connection without an error or an answer.
    clientRequest.once("close", () =>
      reject(unreachableError(host, new Error("the connection was closed without an answer"))),
    );
    clientRequest.end();
  });
}

/** Returns only the checked addresses, whatever the name resolves to by now. */
function fixedLookup(addresses: readonly HostAddress[]): LookupFunction {
  return (_host, { all }, answer) => {
    const [first] = addresses;
    if (all === true) answer(null, [...addresses]);
    else answer(null, first?.address ?? "", first?.family ?? 4);
  };
}

function unreachableError(host: string, error: Error): ToolError {
  const { code, message } = error as NodeJS.ErrnoException;
  return new ToolError(`${host} could not be reached: ${code ?? message}.`);
}

async function readBody(answer: IncomingMessage, mostBytes: number, signal: AbortSignal) {
  const encoding = (answer.headers["content-encoding"] ?? "").toLowerCase().trim();
  const decoder = await createDecoder(encoding);
  if (decoder === undefined)
    throw new ToolError(`The server sent the page in an unsupported encoding: ${encoding.slice(0, 40)}.`);
  const source = decoder === null ? answer : answer.pipe(decoder);
  // A broken connection must end the decoder too.
  if (decoder !== null) answer.once("error", (error) => decoder.destroy(error));
  const end = (): void => void source.destroy(new Error("aborted"));
  signal.addEventListener("abort", end, { once: true });
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > mostBytes) break;
    }
  } catch (error) {
    if (signal.aborted) throw error;
    throw new ToolError(`The page broke off: ${(error as NodeJS.ErrnoException).code ?? "the connection ended"}.`);
  } finally {
    signal.removeEventListener("abort", end);
    decoder?.destroy();
  }
  return { body: Buffer.concat(chunks).subarray(0, mostBytes), isCut: length > mostBytes };
}

/** Other values mean no compression: object stores return whatever was stored with a file, such as utf-8 or aws-chunked. */
const compressionPattern = /^(?:(?:x-)?(?:gzip|compress)|deflate|br|zstd|dcb|dcz)$/u;

/** Null: not compressed. Undefined: unsupported. Decoders emit small pieces, however much they expand to. */
async function createDecoder(contentEncoding: string): Promise<Transform | null | undefined> {
  const [encoding, ...more] = contentEncoding
    .split(",")
    .flatMap((each) => (compressionPattern.test(each.trim()) ? [each.trim()] : []));
  if (encoding === undefined) return null;
  if (more.length > 0) return undefined;
  const zlib = await import("node:zlib");
  if (encoding === "gzip" || encoding === "x-gzip") return zlib.createGunzip();
  if (encoding === "deflate") return zlib.createInflate();
  return encoding === "br" ? zlib.createBrotliDecompress() : undefined;
}
