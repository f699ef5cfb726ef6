/** Messages that are added to an event stream, between its own events: nothing may be written into the middle of one. */
import { encodeEvent } from "./stream-messages.ts";

export class InsertedEvents {
  #isBetweenEvents = true;
  #tail = "";
  #queued: Uint8Array[] = [];

  /** Whether the bytes read so far end with an event. */
  get isBetweenEvents(): boolean {
    return this.#isBetweenEvents;
  }

  /** To be written after the chunk that is being read, or after the one that ends its last event. */
  add(message: object): void {
    this.#queued.push(encodeEvent(message));
  }

  /** Returns what is to be written after this chunk. Called once for each chunk, after its events were handled. */
  takeAfter(chunk: Uint8Array): Uint8Array | undefined {
    this.#tail = (this.#tail + Buffer.from(chunk.subarray(-4)).toString("latin1")).slice(-4);
    this.#isBetweenEvents = /(?:\n\n|\r\r\n?|\n\r\n?)$/u.test(this.#tail);
    return this.#isBetweenEvents ? this.take() : undefined;
  }

  /** Returns everything that is still to be written: the stream has ended. */
  take(): Uint8Array | undefined {
    return this.#queued.length === 0 ? undefined : Buffer.concat(this.#queued.splice(0));
  }
}
