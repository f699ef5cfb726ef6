/** Follows the stream that carries an answer, and supplies the answer if the stream ends without it. */
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { InsertedEvents } from "./inserted-events.ts";
import { replaceNonJsonNumbers } from "./non-json-numbers.ts";
import {
  connectionLostText,
  errorMessage,
  encodeEvent,
  isSameId,
  parseMessage,
  wrongIdText,
  defaultEventName,
  type Message,
  type StreamFollower,
} from "./stream-messages.ts";
import { parseMessageList, repairMessage } from "./message-repair.ts";
import { endpointEventName, otherKindText } from "./other-kind.ts";

/** Streams whose answer is still to come and that can be resumed after an event, by the id of that event. */
export class ResumableStreams {
  readonly #requests = new Map<string, unknown>();

  /** The answer is now awaited after `next`; without `next`, it has come. */
  updateEventId(before: string | undefined, next?: string, request?: unknown): void {
    if (before !== undefined) this.#requests.delete(before);
    if (next !== undefined && request !== undefined) this.#requests.set(next, request);
  }

  /** The answer awaited by a request that resumes a stream; undefined for other requests. */
  answerResumedBy(init: RequestInit | undefined): AwaitedAnswer | undefined {
    const from = new Headers(init?.headers).get("last-event-id");
    const request = from === null ? undefined : this.#requests.get(from);
    return from === null || request === undefined ? undefined : new AwaitedAnswer(request, this, from);
  }
}

/** The answer to a request, sent as a stream. If the stream ends before the answer and cannot be resumed, that becomes the answer. */
export class AwaitedAnswer implements StreamFollower {
  readonly #id: unknown;
  readonly #resumable: ResumableStreams;
  /** The id after which the rest of the stream can be requested. */
  #eventId: string | undefined;
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({ onEvent: (event) => this.#handleEvent(event) });
  /** The answer has come, or none is awaited. */
  #isAnswered: boolean;
  /** Nothing is to be reported when the stream ends. */
  #isSettled: boolean;
  /** Why no answer will come, although the stream is still open. */
  #hopelessReason: string | undefined;
  /** Messages that came in a form that the transport ignores. */
  readonly #inserted = new InsertedEvents();

  /**
   * @param id the request's id; undefined if no answer is awaited.
   * @param from the event after which the stream continues. The transport resumes once, and again only after a newer event.
   */
  constructor(id: unknown, resumable: ResumableStreams, from?: string) {
    this.#resumable = resumable;
    this.#id = id;
    this.#eventId = from;
    this.#isAnswered = this.#isSettled = id === undefined;
  }

  /** Replaces a stream that the server does not have: otherwise the transport, and the call, would keep waiting. */
  errorResponse(): Response {
    return new Response(Buffer.from(this.#endWithError(connectionLostText)), {
      headers: { "content-type": "text/event-stream" },
    });
  }

  onChunk(chunk: Uint8Array): Uint8Array | undefined {
    if (!this.#isAnswered) this.#parser.feed(this.#decoder.decode(chunk, { stream: true }));
    const repaired = this.#inserted.takeAfter(chunk);
    if (repaired !== undefined) return repaired;
    if (this.#hopelessReason === undefined || this.#isSettled) return undefined;
    this.#isAnswered = this.#isSettled = true;
    return this.#endWithError(this.#hopelessReason);
  }

  #handleEvent({ id, event = defaultEventName, data }: EventSourceMessage): void {
    // After an event with an id, the transport requests the rest of the stream itself.
    if (id !== undefined && id !== "") {
      this.#isSettled = true;
      this.#resumable.updateEventId(this.#eventId, id, this.#id);
      this.#eventId = id;
    }
    if (event === endpointEventName) {
      this.#hopelessReason = otherKindText("http", "it opens the stream of an older server");
      return;
    }
    const list = parseMessageList(data);
    if (list !== undefined) return this.#handleList(list);
    const parsed = parseMessage(data);
    const plain = "id" in parsed ? undefined : replaceNonJsonNumbers(data);
    const message = plain === undefined ? parsed : parseMessage(plain);
    // A progress notification with null for an unknown value would be dropped.
    if (message["method"] === "notifications/progress") this.#repair(message, plain === undefined);
    if (message["method"] !== undefined || message["id"] === undefined) return;
    if (isSameId(message["id"], this.#id))
      this.#handleAnswer(message, event === defaultEventName && plain === undefined);
    else this.#hopelessReason = wrongIdText;
  }

  /** The transport reads none of them. */
  #handleList(messages: readonly Message[]): void {
    for (const message of messages) {
      const isAnswer = message.method === undefined && message.id !== undefined;
      if (isAnswer && isSameId(message.id, this.#id)) this.#handleAnswer(message, false);
      else this.#inserted.add(message);
    }
  }

  #handleAnswer(message: Message, isRead: boolean): void {
    this.#isAnswered = this.#isSettled = true;
    this.#resumable.updateEventId(this.#eventId);
    this.#repair(message, isRead);
  }

  /** @param isRead whether the transport reads the message as it came. */
  #repair(message: Message, isRead: boolean): void {
    const repaired = repairMessage(message);
    if (repaired !== message || !isRead) this.#inserted.add(repaired);
  }

  onEnd(message: string): Uint8Array | undefined {
    return this.#isSettled ? this.#inserted.take() : this.#endWithError(message);
  }

  #endWithError(message: string): Uint8Array {
    this.#resumable.updateEventId(this.#eventId);
    return encodeEvent(errorMessage(this.#id, message));
  }
}
