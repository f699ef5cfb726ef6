/** A conversation's messages as bytes, one after the other: what was written for one request is not written again for the next. */
import type { ApiMessage } from "../../protocol/model.ts";

export interface WrittenMessage {
  json: string;
  /** Bytes after the place for `cache_control`; undefined: there is no such place. */
  afterMark: number | undefined;
}

const comma = 44;

export class MessageBytes {
  /** Each message behind a comma. What was written once stays as it is: a request on its way may be reading it. */
  #bytes = Buffer.allocUnsafeSlow(8192);
  #written = 0;
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

  /** The whole as pieces that never change, without the first comma and with `mark` in the marked messages (ascending) that have a place for it. */
  pieces(marked: readonly number[], mark: Uint8Array): Uint8Array[] {
    const pieces: Uint8Array[] = [];
    let from = 1;
    for (const index of marked) {
      const at = this.#marks[index] ?? -1;
      if (at <= from) continue;
      pieces.push(this.#bytes.subarray(from, at), mark);
      from = at;
    }
    pieces.push(this.#bytes.subarray(from, this.#ends.at(-1) ?? from));
    return pieces;
  }

  #append({ json, afterMark }: WrittenMessage): void {
    const start = this.#ends.at(-1) ?? 0;
    const end = start + 1 + Buffer.byteLength(json);
    if (!this.#holds(json, start, end)) {
      if (end > this.#bytes.length || start < this.#written) this.#move(start, end);
      this.#bytes[start] = comma;
      this.#bytes.write(json, start + 1);
      this.#written = end;
    }
    this.#ends.push(end);
    this.#marks.push(afterMark === undefined ? -1 : end - afterMark);
  }

  /** The last messages of a request are often made anew for the next, with the same content. */
  #holds(json: string, start: number, end: number): boolean {
    return end <= this.#written && Buffer.from(json).equals(this.#bytes.subarray(start + 1, end));
  }

  /** To memory of its own, with room for what ends at `end`. */
  #move(length: number, end: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * end, 8192));
    this.#bytes.copy(larger, 0, 0, length);
    this.#bytes = larger;
  }
}
