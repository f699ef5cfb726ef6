/** Follows the stream that carries an answer, and supplies the answer if the stream ends without it. */
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { withPlainNumbers } from "./plain-numbers.ts";
import {
  brokenOff,
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

/** Streams whose answer is still to come and that can be resumed after an event, by the id of that event. */
export class Resumable {
  readonly #requests = new Map<string, unknown>();

  /** The answer is now awaited after `next`; without `next`, it has come. */
  moved(before: string | undefined, next?: string, request?: unknown): void {
    if (before !== undefined) this.#requests.delete(before);
    if (next !== undefined && request !== undefined) this.#requests.set(next, request);
  }

  /** The answer awaited by a request that resumes a stream; undefined for other requests. */
  taken(init: RequestInit | undefined): AwaitedAnswer | undefined {
    const from = new Headers(init?.headers).get("last-event-id");
    const request = from === null ? undefined : this.#requests.get(from);
    return from === null || request === undefined ? undefined : new AwaitedAnswer(request, this, from);
  }
}

/** The answer to a request, sent as a stream. If the stream ends before the answer and cannot be resumed, that becomes the answer. */
export class AwaitedAnswer implements StreamEnd {
  readonly #id: unknown;
  readonly #resumable: Resumable;
  /** The id after which the rest of the stream can be requested. */
  #eventId: string | undefined;
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({ onEvent: (event) => this.#event(event) });
  /** The answer has come, or none is awaited. */
  #isAnswered: boolean;
  /** Nothing is to be reported when the stream ends. */
  #isSettled: boolean;
  #isOther = false;
  /** Messages in the latest chunk in a form that the transport ignores. */
  #mended: object[] = [];

  /**
   * @param id the request's id; undefined if no answer is awaited.
   * @param from the event after which the stream continues. The transport resumes once, and again only after a newer event.
   */
  constructor(id: unknown, resumable: Resumable, from?: string) {
    this.#resumable = resumable;
    this.#id = id;
    this.#eventId = from;
    this.#isAnswered = this.#isSettled = id === undefined;
  }

  /** Replaces a stream that the server does not have: otherwise the transport, and the call, would keep waiting. */
  refused(): Response {
    return new Response(Buffer.from(this.#error(brokenOff)), { headers: { "content-type": "text/event-stream" } });
  }

  see(chunk: Uint8Array): Uint8Array | undefined {
    if (!this.#isAnswered) this.#parser.feed(this.#decoder.decode(chunk, { stream: true }));
    const mended = this.#mended.splice(0);
    if (mended.length > 0) return Buffer.concat(mended.map(eventOf));
    if (!this.#isOther || this.#isSettled) return undefined;
    this.#isAnswered = this.#isSettled = true;
    return this.#error(otherId);
  }

  #event({ id, event = usual, data }: EventSourceMessage): void {
    // After an event with an id, the transport requests the rest of the stream itself.
    if (id !== undefined && id !== "") {
      this.#isSettled = true;
      this.#resumable.moved(this.#eventId, id, this.#id);
      this.#eventId = id;
    }
    const said = messageOf(data);
    const plain = "id" in said ? undefined : withPlainNumbers(data);
    const message = plain === undefined ? said : messageOf(plain);
    // A progress notification with null for an unknown value would be dropped.
    if (message["method"] === "notifications/progress") this.#mend(message, plain === undefined);
    if (message["method"] !== undefined || message["id"] === undefined) return;
    if (isSame(message["id"], this.#id)) this.#answered(message, event === usual && plain === undefined);
    else this.#isOther = true;
  }

  #answered(message: Message, isRead: boolean): void {
    this.#isAnswered = this.#isSettled = true;
    this.#resumable.moved(this.#eventId);
    this.#mend(message, isRead);
  }

  /** @param isRead whether the transport reads the message as it came. */
  #mend(message: Message, isRead: boolean): void {
    const mended = wellFormed(message);
    if (mended !== message || !isRead) this.#mended.push(mended);
  }

  last(message: string): Uint8Array | undefined {
    return this.#isSettled ? undefined : this.#error(message);
  }

  #error(message: string): Uint8Array {
    this.#resumable.moved(this.#eventId);
    return eventOf(errorMessage(this.#id, message));
  }
}
