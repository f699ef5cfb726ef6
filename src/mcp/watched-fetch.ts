/**
 * `fetch` for the ways over HTTP. Answers have an end, so that no server fills the memory with one message; and what the transports
 * do not tell is told: that the way is lost, and that an answer will not come because its stream has ended.
 */
import { createParser } from "eventsource-parser";
import { isObject } from "../lib/json.ts";

/** One JSON answer, or one event of a stream. */
const maxBytes = 16 * 1024 * 1024;

const brokenOff = "the connection was lost before the answer came";

class TooMuch extends Error {}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface Watch {
  /** `http`: each request has an answer of its own, as a stream or not. `sse`: one stream has all of them. */
  type: "http" | "sse";
  /** Of the server: logging in asks others with the same `fetch`. */
  url: URL;
  /** `why`: one clause. */
  onLost: (why: string) => void;
}

export function watchedFetch(watch: Watch, fetchImpl: Fetch = fetch): Fetch {
  const { onLost } = watch;
  const isOwn = (url: string | URL): boolean => new URL(url).origin === watch.url.origin;
  let hasAnswered = false;
  let hasStream = false;
  return async (url, init) => {
    const isListening = listens(init);
    let response: Response;
    try {
      response = await fetchImpl(url, init);
    } catch (error) {
      if (hasAnswered && isOwn(url) && codeOf(error) === "ECONNREFUSED")
        onLost("nobody answers at its address any more");
      throw error;
    }
    hasAnswered ||= isOwn(url);
    // That it had a stream and has none now means that it no longer knows who asks.
    if (isListening && hasStream && response.status === 404) onLost("its session has ended");
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    if (response.body === null) return response;
    if (isListening && isStream && response.ok) hasStream = true;
    const ends = isStream ? endOf(watch, isListening, init?.body) : undefined;
    const bounded = new Response(followed(response.body, isStream, ends), response);
    // A response that is made has no address of its own, and relative ones in it refer to that.
    Object.defineProperty(bounded, "url", { value: response.url });
    return bounded;
  };
}

function listens(init: RequestInit | undefined): boolean {
  const isGet = init?.method === undefined || init.method === "GET";
  return isGet && new Headers(init?.headers).get("accept")?.includes("text/event-stream") === true;
}

/** Over `http` the transport takes up its own listening by itself. */
function endOf({ type, onLost }: Watch, isListening: boolean, body: unknown): StreamEnd | undefined {
  if (type === "http") return isListening ? undefined : new AwaitedAnswer(body);
  const last = (): undefined => {
    onLost("its stream has ended");
  };
  return { see: () => {}, last };
}

function codeOf(error: unknown): unknown {
  const cause = error instanceof Error ? (error.cause ?? error) : undefined;
  return isObject(cause as never) ? (cause as { code?: unknown }).code : undefined;
}

interface StreamEnd {
  see(chunk: Uint8Array): void;
  /** At the end, whether it came well or not: what is still to be read; undefined where nothing is. `why`: one clause. */
  last(why: string): Uint8Array | undefined;
}

/** Of a request whose answer comes as a stream: where the stream ends before it, and cannot be taken up again, that is the answer. */
class AwaitedAnswer implements StreamEnd {
  readonly #id: unknown;
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({ onEvent: ({ id, data }) => this.#event(id, data) });
  #isSettled = false;

  constructor(body: unknown) {
    this.#id = typeof body === "string" ? messageOf(body)["id"] : undefined;
    this.#isSettled = this.#id === undefined;
  }

  see(chunk: Uint8Array): void {
    if (!this.#isSettled) this.#parser.feed(this.#decoder.decode(chunk, { stream: true }));
  }

  #event(id: string | undefined, data: string): void {
    // With an id the transport asks for the rest of the stream.
    if (id !== undefined && id !== "") this.#isSettled = true;
    const message = messageOf(data);
    if (message["method"] === undefined && message["id"] === this.#id) this.#isSettled = true;
  }

  last(message: string): Uint8Array | undefined {
    if (this.#isSettled) return undefined;
    const error = { code: -32_000, message };
    return Buffer.from(`\n\ndata: ${JSON.stringify({ jsonrpc: "2.0", id: this.#id, error })}\n\n`);
  }
}

/** Empty where it is none. */
function messageOf(text: string): { id?: unknown; method?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function followed(body: ReadableStream<Uint8Array>, isStream: boolean, ends?: StreamEnd): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const endsEvent = eventEnds();
  let bytes = 0;
  const finish = (controller: ReadableStreamDefaultController<Uint8Array>, error?: unknown): void => {
    const last = ends?.last(error instanceof TooMuch ? error.message : brokenOff);
    if (last !== undefined) controller.enqueue(last);
    if (error === undefined || last !== undefined) controller.close();
    else controller.error(error);
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) return finish(controller);
        bytes += value.length;
        if (bytes > maxBytes) throw new TooMuch(`the server sent more than ${maxBytes / 1024 / 1024} MiB at once`);
        if (isStream && endsEvent(value)) bytes = 0;
        ends?.see(value);
        controller.enqueue(value);
      } catch (error) {
        finish(controller, error);
        await reader.cancel(error).catch(() => undefined);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Whether an event ends in a chunk: the empty line that ends it may have begun in the one before. */
function eventEnds(): (chunk: Uint8Array) => boolean {
  let before = "";
  return (chunk) => {
    const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    const border = before + text.toString("latin1", 0, 3);
    before = (before + text.toString("latin1", Math.max(0, text.length - 3))).slice(-3);
    return ["\n\n", "\r\n\r\n", "\r\r"].some((end) => border.includes(end) || text.includes(end));
  };
}
