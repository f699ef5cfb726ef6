/**
 * The older way over HTTP: one stream has the answers to all that is posted. What its transport would pass over is told there: an
 * answer in a wrong form, one to nothing that was asked, and one that came where the request was posted.
 */
import { createParser } from "eventsource-parser";
import { isObject } from "../lib/json.ts";
import { isJson } from "./json-response.ts";
import {
  errorMessage,
  eventOf,
  isSame,
  messageOf,
  otherId,
  usual,
  type Message,
  type StreamEnd,
} from "./stream-messages.ts";
import { wellFormed } from "./well-formed.ts";

const mostKnown = 1_000;

export class SharedStream {
  /** Requests that are not answered yet. */
  readonly #asked = new Set<unknown>();
  /** Those that were, or were given up: their answers may come late, or twice. */
  readonly #known = new Set<unknown>();
  #write: ((bytes: Uint8Array) => void) | undefined;
  /** Nothing is written into the middle of an event. */
  #isBetween = true;
  #tail = "";
  #held: Uint8Array[] = [];

  /** A message is about to be posted: answers its id, where it is a request. */
  posting(body: unknown): unknown {
    const { id, method, params } = typeof body === "string" ? messageOf(body) : {};
    if (method === "notifications/cancelled" && isObject(params as never))
      this.#forget((params as Message & { requestId?: unknown }).requestId);
    if (method === undefined || id === undefined) return undefined;
    this.#asked.add(id);
    return id;
  }

  /** It was not taken. */
  failed(id: unknown): void {
    this.#forget(id);
  }

  /** Where its answer came with the post, it goes where answers are read. */
  async posted(id: unknown, response: Response): Promise<Response> {
    if (!isJson(response)) return response;
    const text = await response.text();
    const message = messageOf(text);
    const taken = new Response(text, response);
    if (message.method !== undefined || !isSame(message.id, id) || !this.#asked.has(id)) return taken;
    this.#forget(id);
    this.#tell(wellFormed(message));
    return taken;
  }

  stream(onEnd: () => void): StreamEnd {
    const decoder = new TextDecoder();
    const parser = createParser({
      onEvent: ({ event = usual, data }) => this.#heard(messageOf(data), event === usual),
    });
    return {
      begin: (write) => {
        this.#write = write;
      },
      see: (chunk) => {
        this.#tail = (this.#tail + Buffer.from(chunk.subarray(-4)).toString("latin1")).slice(-4);
        this.#isBetween = /(?:\n\n|\r\r|\r\n\r\n)$/u.test(this.#tail);
        parser.feed(decoder.decode(chunk, { stream: true }));
        return this.#isBetween && this.#held.length > 0 ? Buffer.concat(this.#held.splice(0)) : undefined;
      },
      last: () => {
        this.#write = undefined;
        onEnd();
        return undefined;
      },
    };
  }

  /** `isUsual`: in an event that the transport reads. */
  #heard(message: Message, isUsual: boolean): void {
    if (message.method !== undefined) return;
    const asked = [...this.#asked].find((id) => isSame(message.id, id));
    if (asked !== undefined) {
      this.#forget(asked);
      const mended = wellFormed(message);
      if (mended !== message || !isUsual) this.#hold(mended);
      return;
    }
    if (!isUsual) return;
    const isAnswer = message.error !== undefined || "result" in message;
    const [only] = this.#asked;
    // Of several it cannot be told which is meant: each has its own limit.
    if (!isAnswer || this.#asked.size !== 1 || this.#isKnown(message.id)) return;
    this.#forget(only);
    // Of a request that it could not read, a server cannot tell the id.
    const isRefusal = (message.id ?? null) === null && message.error !== undefined;
    this.#hold(isRefusal ? wellFormed({ ...message, id: only }) : errorMessage(only, otherId));
  }

  #isKnown(id: unknown): boolean {
    return [...this.#known].some((known) => isSame(id, known));
  }

  #forget(id: unknown): void {
    if (!this.#asked.delete(id)) return;
    this.#known.add(id);
    if (this.#known.size > mostKnown) this.#known.delete(this.#known.values().next().value);
  }

  /** Behind what is being read. */
  #hold(message: object): void {
    this.#held.push(eventOf(message));
  }

  #tell(message: object): void {
    if (this.#isBetween && this.#write !== undefined) this.#write(eventOf(message));
    else this.#hold(message);
  }
}
