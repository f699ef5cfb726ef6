/**
 * The older HTTP transport: one stream carries the answers to everything that is posted. Answers that its transport would ignore
 * are corrected here: malformed ones, answers to no request, and answers that came with the post itself.
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
  /** Requests that were answered or given up: their answers may come late, or twice. */
  readonly #known = new Set<unknown>();
  #write: ((bytes: Uint8Array) => void) | undefined;
  /** Nothing may be written into the middle of an event. */
  #isBetween = true;
  #tail = "";
  #held: Uint8Array[] = [];

  /** A message is about to be posted. Returns its id if it is a request. */
  posting(body: unknown): unknown {
    const { id, method, params } = typeof body === "string" ? messageOf(body) : {};
    if (method === "notifications/cancelled" && isObject(params as never))
      this.#forget((params as Message & { requestId?: unknown }).requestId);
    if (method === undefined || id === undefined) return undefined;
    this.#asked.add(id);
    return id;
  }

  /** The server did not accept the request. */
  failed(id: unknown): void {
    this.#forget(id);
  }

  /** If the answer came with the post, passes it to the stream where answers are read. */
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

  /** @param isUsual the event has the name that the transport reads. */
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
    // With several open requests nobody can tell which one is meant; each has its own time limit.
    if (!isAnswer || this.#asked.size !== 1 || this.#isKnown(message.id)) return;
    this.#forget(only);
    // For a request that it could not parse, a server cannot name the id.
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

  /** Written after the chunk that is being read. */
  #hold(message: object): void {
    this.#held.push(eventOf(message));
  }

  #tell(message: object): void {
    if (this.#isBetween && this.#write !== undefined) this.#write(eventOf(message));
    else this.#hold(message);
  }
}
