/**
 * The older HTTP transport: one stream carries the answers to everything that is posted. Answers that its transport would ignore
 * are corrected here: malformed ones, answers to no request, and answers that came with the post itself.
 */
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { isRecord } from "../lib/is-record.ts";
import { isObject } from "../lib/json.ts";
import { InsertedEvents } from "./inserted-events.ts";
import { isJsonResponse } from "./json-response.ts";
import {
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

const maxClosedRequests = 1_000;
/** JSON-RPC: the server could not parse what it got. */
const parseErrorCode = -32_700;

export class SharedStream {
  /** Requests that are not answered yet. */
  readonly #openRequests = new Set<unknown>();
  /** Requests that were answered or given up: their answers may come late, or twice. */
  readonly #closedRequests = new Set<unknown>();
  /** Notifications and answers since a request was last answered: some servers answer them too, by mistake. */
  #postsWithoutRequest = 0;
  #write: ((bytes: Uint8Array) => void) | undefined;
  readonly #inserted = new InsertedEvents();
  readonly #onEvent: (event: EventSourceMessage) => void;

  constructor(onEvent: (event: EventSourceMessage) => void = () => {}) {
    this.#onEvent = onEvent;
  }

  /** A message is about to be posted. Returns its id if it is a request. */
  beforePost(body: unknown): unknown {
    const { id, method, params } = typeof body === "string" ? parseMessage(body) : {};
    if (method === "notifications/cancelled" && isObject(params as never))
      this.#closeRequest((params as Message & { requestId?: unknown }).requestId);
    if (method === undefined || id === undefined) {
      this.#postsWithoutRequest += 1;
      return undefined;
    }
    this.#openRequests.add(id);
    return id;
  }

  /** The server did not accept the request. */
  onPostFailed(id: unknown): void {
    this.#closeRequest(id);
  }

  /** If the answer came with the post, passes it to the stream where answers are read. */
  async afterPost(id: unknown, response: Response): Promise<Response> {
    if (!isJsonResponse(response)) return response;
    const text = await response.text();
    const message = parseMessage(text);
    const eventResponse = new Response(text, response);
    if (message.method !== undefined || !isSameId(message.id, id) || !this.#openRequests.has(id)) return eventResponse;
    this.#postsWithoutRequest = 0;
    this.#closeRequest(id);
    this.#sendEvent(repairMessage(message));
    return eventResponse;
  }

  stream(onEnd: () => void): StreamFollower {
    const decoder = new TextDecoder();
    const parser = createParser({
      onEvent: (eventMessage) => {
        const { event = defaultEventName, data } = eventMessage;
        this.#onEvent(eventMessage);
        const list = parseMessageList(data);
        if (list !== undefined) this.#handleList(list);
        else this.#handleMessage(parseMessage(data), event === defaultEventName);
      },
    });
    return {
      onStart: (write) => {
        this.#write = write;
      },
      onChunk: (chunk) => {
        parser.feed(decoder.decode(chunk, { stream: true }));
        return this.#inserted.takeAfter(chunk);
      },
      onEnd: () => {
        this.#write = undefined;
        onEnd();
        return undefined;
      },
    };
  }

  /** The transport reads none of them. */
  #handleList(messages: readonly Message[]): void {
    for (const message of messages)
      if (message.method === undefined) this.#handleMessage(message, false);
      else this.#inserted.add(message);
  }

  /** @param isUsual the event has the name that the transport reads. */
  #handleMessage(message: Message, isUsual: boolean): void {
    if (message.method !== undefined) return;
    const requestId = [...this.#openRequests].find((id) => isSameId(message.id, id));
    if (requestId !== undefined) {
      this.#postsWithoutRequest = 0;
      this.#closeRequest(requestId);
      const repaired = repairMessage(message);
      if (repaired !== message || !isUsual) this.#inserted.add(repaired);
      return;
    }
    if (!isUsual) return;
    const isAnswer = message.error !== undefined || "result" in message;
    const [only] = this.#openRequests;
    // With several open requests nobody can tell which one is meant; each has its own time limit.
    if (!isAnswer || this.#openRequests.size !== 1 || this.#isClosedRequest(message.id)) return;
    const isNameless = (message.id ?? null) === null;
    if (isNameless && this.#isForPostWithoutRequest(message)) return;
    // For a request that it could not read, a server cannot name the id.
    const isRefusal = isNameless && message.error !== undefined;
    this.#closeRequest(only);
    this.#inserted.add(isRefusal ? repairMessage({ ...message, id: only }) : errorMessage(only, wrongIdText));
  }

  #isForPostWithoutRequest({ error }: Message): boolean {
    if (this.#postsWithoutRequest === 0 || (isRecord(error) && error["code"] === parseErrorCode)) return false;
    this.#postsWithoutRequest -= 1;
    return true;
  }

  #isClosedRequest(id: unknown): boolean {
    return [...this.#closedRequests].some((known) => isSameId(id, known));
  }

  #closeRequest(id: unknown): void {
    if (!this.#openRequests.delete(id)) return;
    this.#closedRequests.add(id);
    if (this.#closedRequests.size > maxClosedRequests)
      this.#closedRequests.delete(this.#closedRequests.values().next().value);
  }

  #sendEvent(message: object): void {
    if (this.#inserted.isBetweenEvents && this.#write !== undefined) this.#write(encodeEvent(message));
    else this.#inserted.add(message);
  }
}
