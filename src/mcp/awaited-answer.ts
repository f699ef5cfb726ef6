/** What comes as the stream of an answer, and what becomes of the answer where the stream ends before it. */
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

/** Streams with an answer still to come that can be asked for from an event on, by the id of that event. */
export class Resumable {
  readonly #requests = new Map<string, unknown>();

  /** The answer is waited for from `next` on; without it, it has come. */
  moved(before: string | undefined, next?: string, request?: unknown): void {
    if (before !== undefined) this.#requests.delete(before);
    if (next !== undefined && request !== undefined) this.#requests.set(next, request);
  }

  /** The answer that whoever asks for the rest of a stream waits for; undefined where he asks for something else. */
  taken(init: RequestInit | undefined): AwaitedAnswer | undefined {
    const from = new Headers(init?.headers).get("last-event-id");
    const request = from === null ? undefined : this.#requests.get(from);
    return from === null || request === undefined ? undefined : new AwaitedAnswer(request, this, from);
  }
}

/** Of a request whose answer comes as a stream: where the stream ends before it, and cannot be taken up again, that is the answer. */
export class AwaitedAnswer implements StreamEnd {
  readonly #id: unknown;
  readonly #resumable: Resumable;
  /** Behind it the rest can be asked for. */
  #eventId: string | undefined;
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({ onEvent: (event) => this.#event(event) });
  /** It has come, or none is awaited. */
  #isAnswered: boolean;
  /** Nothing is to be told where the stream ends. */
  #isSettled: boolean;
  #isOther = false;
  /** What came with the latest piece in a form that the transport passes over. */
  #mended: object[] = [];

  /**
   * `id`: of the request; undefined where no answer is awaited. `from`: the event that the stream goes on behind; the transport asks for
   * what follows it once, and once more only behind one that has come since.
   */
  constructor(id: unknown, resumable: Resumable, from?: string) {
    this.#resumable = resumable;
    this.#id = id;
    this.#eventId = from;
    this.#isAnswered = this.#isSettled = id === undefined;
  }

  /** In the place of a stream that the server does not have: the transport would wait on, and so would the call. */
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
    // With an id the transport asks for the rest of the stream.
    if (id !== undefined && id !== "") {
      this.#isSettled = true;
      this.#resumable.moved(this.#eventId, id, this.#id);
      this.#eventId = id;
    }
    const said = messageOf(data);
    const plain = "id" in said ? undefined : withPlainNumbers(data);
    const message = plain === undefined ? said : messageOf(plain);
    // How far it is, of which nothing is heard where it says null for what it does not know.
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

  /** `isRead`: by the transport, as it stands there. */
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
