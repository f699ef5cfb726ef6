/**
 * A response's bytes as they come. The stream's own iterator would work, but it creates listeners and promises for each response
 * that cost more than reading it.
 */
import type { IncomingMessage } from "node:http";

interface Waiter {
  resolve(result: IteratorResult<Uint8Array, undefined>): void;
  reject(error: Error): void;
}

/** The number of unread bytes above which the server is made to wait. */
const maxUnreadBytes = 64 * 1024;
const endResult: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** For a single reader that waits for one result at a time. */
export class IncomingBody implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #incoming: IncomingMessage;
  readonly #onOver: () => void;
  readonly #chunks: Uint8Array[] = [];
  #waitingBytes = 0;
  #waiter: Waiter | undefined;
  #end: "open" | "ended" | { error: Error } = "open";

  /** @param onOver called once, when no more bytes will come. */
  constructor(incoming: IncomingMessage, onOver: () => void) {
    this.#incoming = incoming;
    this.#onOver = onOver;
    incoming.on("data", (bytes: Uint8Array) => this.#onData(bytes));
    incoming.on("end", () => this.#settle("ended"));
    // Stays for good: without a listener the error would be thrown when nobody reads any more.
    incoming.on("error", (error: Error) => this.#settle({ error }));
    incoming.on("close", () => {
      if (this.#end === "open") this.#settle({ error: prematureCloseError() });
    });
  }

  get isRead(): boolean {
    return this.#end === "ended" && this.#chunks.length === 0;
  }

  /** Rejects if the connection broke before the body was complete. */
  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const value = this.#chunks.shift();
    if (value !== undefined) {
      this.#waitingBytes -= value.byteLength;
      if (this.#chunks.length === 0 && this.#incoming.isPaused()) this.#incoming.resume();
      return Promise.resolve({ done: false, value });
    }
    if (this.#end === "ended") return Promise.resolve(endResult);
    if (this.#end !== "open") return Promise.reject(this.#end.error);
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject };
    });
  }

  /** Closes the connection, unless everything was read. */
  return(): Promise<IteratorReturnResult<undefined>> {
    if (this.#end === "open") this.#incoming.destroy();
    this.#settle("ended");
    return Promise.resolve(endResult);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #onData(bytes: Uint8Array): void {
    const waiter = this.#waiter;
    if (waiter !== undefined) {
      this.#waiter = undefined;
      waiter.resolve({ done: false, value: bytes });
      return;
    }
    this.#chunks.push(bytes);
    this.#waitingBytes += bytes.byteLength;
    if (this.#waitingBytes > maxUnreadBytes) this.#incoming.pause();
  }

  /** Only the first end counts. */
  #settle(end: "ended" | { error: Error }): void {
    if (this.#end !== "open") return;
    this.#end = end;
    this.#onOver();
    const waiter = this.#waiter;
    this.#waiter = undefined;
    if (end === "ended") waiter?.resolve(endResult);
    else waiter?.reject(end.error);
  }
}

export function prematureCloseError(): Error {
  return Object.assign(new Error("The connection was closed before the answer was whole"), {
    code: "ERR_STREAM_PREMATURE_CLOSE",
  });
}
