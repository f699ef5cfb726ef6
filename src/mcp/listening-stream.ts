/** The stream on which a client of an HTTP server listens: some servers answer there instead of in the response to a request. */
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { InsertedEvents } from "./inserted-events.ts";
import { parseMessageList, repairMessage } from "./message-repair.ts";
import { replaceNonJsonNumbers } from "./non-json-numbers.ts";
import { defaultEventName, isSameId, parseMessage, type Message, type StreamFollower } from "./stream-messages.ts";
import type { McpClock } from "./world.ts";

/** If the server has a stream to listen to, the answer may still arrive there within this time. */
const listeningWaitMs = 10_000;
const maxSeen = 100;

export class ListeningStream {
  readonly #clock: Pick<McpClock, "timer">;
  /** Ids of the latest answers, as the server wrote them. */
  readonly #seen = new Set<unknown>();
  readonly #waiting = new Map<unknown, () => void>();

  constructor(clock: Pick<McpClock, "timer">) {
    this.#clock = clock;
  }

  /** Repeats a message in a form that the transport reads if the server sent it in another. */
  stream(): StreamFollower {
    const decoder = new TextDecoder();
    const inserted = new InsertedEvents();
    const parser = createParser({ onEvent: (event) => this.#handleEvent(event, inserted) });
    return {
      onChunk(chunk) {
        parser.feed(decoder.decode(chunk, { stream: true }));
        return inserted.takeAfter(chunk);
      },
      onEnd: () => inserted.take(),
    };
  }

  #handleEvent({ event = defaultEventName, data }: EventSourceMessage, inserted: InsertedEvents): void {
    const list = parseMessageList(data);
    // The transport reads none of them.
    for (const message of list ?? []) this.#handleMessage(message, false, inserted);
    if (list !== undefined) return;
    const said = parseMessage(data);
    const plain = Object.keys(said).length > 0 ? undefined : replaceNonJsonNumbers(data);
    const message = plain === undefined ? said : parseMessage(plain);
    const isAnswer = message.method === undefined && message.id !== undefined;
    if (!isAnswer && message.method !== "notifications/progress") return;
    this.#handleMessage(message, plain === undefined && (!isAnswer || event === defaultEventName), inserted);
  }

  /** @param isRead whether the transport reads the message as it came. */
  #handleMessage(message: Message, isRead: boolean, inserted: InsertedEvents): void {
    const repaired = repairMessage(message);
    if (repaired !== message || !isRead) inserted.add(repaired);
    if (message.method === undefined && message.id !== undefined) this.#noteAnswer(message.id);
  }

  #noteAnswer(id: unknown): void {
    this.#seen.add(id);
    if (this.#seen.size > maxSeen) this.#seen.delete(this.#seen.values().next().value);
    const asked = this.#waiting.has(id) ? id : [...this.#waiting.keys()].find((each) => isSameId(id, each));
    this.#waiting.get(asked)?.();
  }

  /** Whether the answer has arrived, or arrives soon. */
  async awaitAnswer(id: unknown): Promise<boolean> {
    if (this.#hasSeen(id)) return true;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.set(id, resolve);
    const stop = this.#clock.timer(listeningWaitMs, resolve);
    await promise;
    stop();
    this.#waiting.delete(id);
    return this.#hasSeen(id);
  }

  #hasSeen(id: unknown): boolean {
    return this.#seen.has(id) || [...this.#seen].some((seen) => isSameId(seen, id));
  }
}
