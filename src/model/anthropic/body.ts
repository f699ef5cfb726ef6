/** A response's body, read so that an interruption or silence ends the reading at once. */
import { CutError, type Cut } from "./cut.ts";
import { StreamFormatError } from "./sse.ts";
import type { TransportResponse } from "./transport.ts";

export class Body {
  /** Silence allowed between bytes, ms. */
  idleMs: number;
  readonly #source: TransportResponse["body"];
  readonly #iterator: AsyncIterator<Uint8Array>;
  readonly #cut: Cut;
  /** Bytes looked at and not yet read. */
  #ahead: Uint8Array | undefined;
  #begun = false;
  #ended = false;

  /** The limit for the first byte is running already; `idleMs` holds from there on. */
  constructor(source: TransportResponse["body"], cut: Cut, idleMs: number) {
    this.#source = source;
    this.#iterator = source[Symbol.asyncIterator]();
    this.#cut = cut;
    this.idleMs = idleMs;
  }

  /** All of it was read, as far as that is known without waiting. */
  get ended(): boolean {
    return this.#ended || this.#source.isRead === true;
  }

  /** The next bytes, undefined at the end. Rejects with `CutError`, or with what the transport throws. */
  next(): Promise<Uint8Array | undefined> {
    const ahead = this.#ahead;
    if (ahead !== undefined || this.#ended) {
      this.#ahead = undefined;
      return Promise.resolve(ahead);
    }
    if (this.#cut.cause !== undefined) return Promise.reject(new CutError());
    if (this.#begun) this.#cut.expectByte(this.idleMs);
    return this.#cut.waitAndTake(this.#iterator.next(), this.#taken);
  }

  readonly #taken = (result: IteratorResult<Uint8Array>): Uint8Array | undefined | Promise<Uint8Array | undefined> => {
    if (result.done === true) {
      this.#cut.byteCame();
      this.#ended = true;
      return undefined;
    }
    if (result.value.byteLength === 0) return this.#cut.waitAndTake(this.#iterator.next(), this.#taken);
    this.#begun = true;
    this.#cut.byteCame();
    return result.value;
  };

  /** The first character that is not white space, without reading past it. Empty where there is none. */
  async firstCharacter(): Promise<string> {
    for (;;) {
      const first = await this.firstOfPiece();
      // A gateway may send white space to keep the connection open: it means nothing before JSON, nor before an event.
      if (first !== "" || this.#ahead === undefined) return first;
      this.#ahead = undefined;
    }
  }

  /** The same of the next bytes alone. */
  async firstOfPiece(): Promise<string> {
    this.#ahead = await this.next();
    return new TextDecoder().decode(this.#ahead).trimStart().slice(0, 1);
  }

  /** All that is left. What comes after `limit` bytes is an error. */
  async text(limit: number): Promise<string> {
    const decoder = new TextDecoder();
    let text = "";
    let total = 0;
    for (;;) {
      const bytes = await this.next();
      if (bytes === undefined) return text + decoder.decode();
      total += bytes.byteLength;
      if (total > limit)
        throw new StreamFormatError(`sent an answer of more than ${Math.round(limit / 1024 / 1024)} MiB`);
      text += decoder.decode(bytes, { stream: true });
    }
  }

  /** Lets go of a body that was not read to its end. What its source has to say about that nobody waits for: it may hang. */
  close(): void {
    if (this.ended) return;
    this.#ended = true;
    this.#iterator.return?.().then(undefined, () => undefined);
  }
}
