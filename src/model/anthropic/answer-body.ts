/** A response's body, read so that an interruption or a silent server ends the read at once. */
import { CutError, type Cut } from "./cut.ts";
import { StreamFormatError } from "./sse.ts";
import type { TransportResponse } from "./transport.ts";

export class AnswerBody {
  /** Silence allowed between bytes, ms. */
  idleMs: number;
  readonly #source: TransportResponse["body"];
  readonly #iterator: AsyncIterator<Uint8Array>;
  readonly #cut: Cut;
  /** Bytes that were peeked at but not yet read. */
  #peeked: Uint8Array | undefined;
  #hasBegun = false;
  #hasEnded = false;

  /** The time limit for the first byte is already running; `idleMs` applies after that. */
  constructor(source: TransportResponse["body"], cut: Cut, idleMs: number) {
    this.#source = source;
    this.#iterator = source[Symbol.asyncIterator]();
    this.#cut = cut;
    this.idleMs = idleMs;
  }

  /** All of the body was read, as far as that is known without waiting. */
  get hasEnded(): boolean {
    return this.#hasEnded || this.#source.isRead === true;
  }

  /** The next bytes; undefined at the end. Rejects with `CutError`, or with what the transport throws. */
  next(): Promise<Uint8Array | undefined> {
    const ahead = this.#peeked;
    if (ahead !== undefined || this.#hasEnded) {
      this.#peeked = undefined;
      return Promise.resolve(ahead);
    }
    if (this.#cut.cause !== undefined) return Promise.reject(new CutError());
    if (this.#hasBegun) this.#cut.expectByte(this.idleMs);
    return this.#cut.waitAndMap(this.#iterator.next(), this.#takeResult);
  }

  readonly #takeResult = (
    result: IteratorResult<Uint8Array>,
  ): Uint8Array | undefined | Promise<Uint8Array | undefined> => {
    if (result.done === true) {
      this.#cut.onByte();
      this.#hasEnded = true;
      return undefined;
    }
    if (result.value.byteLength === 0) return this.#cut.waitAndMap(this.#iterator.next(), this.#takeResult);
    this.#hasBegun = true;
    this.#cut.onByte();
    return result.value;
  };

  /** The first character that is not white space, without reading past it. Empty if there is none. */
  async firstCharacter(): Promise<string> {
    for (;;) {
      const first = await this.firstCharacterOfChunk();
      // A gateway may send white space to keep the connection open: it means nothing before JSON or before an event.
      if (first !== "" || this.#peeked === undefined) return first;
      this.#peeked = undefined;
    }
  }

  /** Like `firstCharacter`, but looks only at the next chunk of bytes. */
  async firstCharacterOfChunk(): Promise<string> {
    this.#peeked = await this.next();
    return new TextDecoder().decode(this.#peeked).trimStart().slice(0, 1);
  }

  /** The rest of the body as text. Throws if there are more than `limit` bytes. */
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

  /** Lets go of a body that was not read to its end, without waiting for the source to confirm: the source may hang. */
  close(): void {
    if (this.hasEnded) return;
    this.#hasEnded = true;
    this.#iterator.return?.().then(undefined, () => undefined);
  }
}
