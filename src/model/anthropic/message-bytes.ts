/** A conversation's messages as bytes, one after the other: what was written for one request is not written again for the next. */
import type { ApiMessage } from "../../protocol/model.ts";

export interface WrittenMessage {
  json: string;
  /** Bytes after the place for `cache_control`; undefined: there is no such place. */
  afterMark: number | undefined;
}

const comma = 44;

export class MessageBytes {
  /** Each message behind a comma. */
  #bytes = Buffer.allocUnsafeSlow(8192);
  readonly #messages: ApiMessage[] = [];
  readonly #ends: number[] = [];
  /** Where `cache_control` goes; -1 where it may not. */
  readonly #marks: number[] = [];

  /** Holds exactly these from now on. A message that was there before, at the same place, is taken as it was written then. */
  update(messages: readonly ApiMessage[], write: (message: ApiMessage) => WrittenMessage): void {
    let same = 0;
    while (same < this.#messages.length && this.#messages[same] === messages[same]) same++;
    for (const list of [this.#messages, this.#ends, this.#marks]) list.length = same;
    for (let index = same; index < messages.length; index++) {
      const message = messages[index] as ApiMessage;
      this.#append(write(message));
      this.#messages.push(message);
    }
  }

  /** The whole as pieces, without the first comma and with `mark` in the marked messages that have a place for it. */
  pieces(marked: ReadonlySet<number>, mark: Uint8Array): Uint8Array[] {
    const pieces: Uint8Array[] = [];
    let from = 1;
    for (const index of [...marked].toSorted((one, other) => one - other)) {
      const at = this.#marks[index] ?? -1;
      if (at < 0) continue;
      pieces.push(this.#bytes.subarray(from, at), mark);
      from = at;
    }
    pieces.push(this.#bytes.subarray(from, this.#ends.at(-1) ?? from));
    return pieces;
  }

  #append({ json, afterMark }: WrittenMessage): void {
    const start = this.#ends.at(-1) ?? 0;
    const end = start + 1 + Buffer.byteLength(json);
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(end, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, start);
      this.#bytes = larger;
    }
    this.#bytes[start] = comma;
    this.#bytes.write(json, start + 1);
    this.#ends.push(end);
    this.#marks.push(afterMark === undefined ? -1 : end - afterMark);
  }
}
