/** A conversation's messages as bytes, one after the other: what was written for one request is not written again for the next. */
import type { ApiMessage } from "../../protocol/model.ts";

export interface WrittenMessage {
  json: string;
  /** Bytes after the place for `cache_control`; undefined: there is no such place. */
  afterMark: number | undefined;
}

const comma = 44;
const leastRoom = 8 * 1024;
/** What changes from request to request is copied into one piece, up to this many bytes. */
const largestCopy = 64 * 1024;

export class MessageBytes {
  /** Each message behind a comma. What was written once stays as it is: a request on its way may be reading it. */
  #bytes = Buffer.allocUnsafeSlow(leastRoom);
  #written = 0;
  readonly #messages: ApiMessage[] = [];
  readonly #ends: number[] = [];
  /** Where `cache_control` goes; -1 where it may not. */
  readonly #marks: number[] = [];

  /** Holds exactly these from now on. A message that was there before, at the same place, is taken as it was written then. */
  update(messages: readonly ApiMessage[], write: (message: ApiMessage) => WrittenMessage): void {
    let same = Math.min(this.#messages.length, messages.length);
    for (let index = 0; index < same; index++) if (this.#messages[index] !== messages[index]) same = index;
    if (same < this.#messages.length) for (const list of [this.#messages, this.#ends, this.#marks]) list.length = same;
    for (let index = same; index < messages.length; index++) {
      const message = messages[index] as ApiMessage;
      this.#append(write(message));
      this.#messages.push(message);
    }
  }

  /** Bytes of `pieces` with the same marks, a mark of `markLength` and nothing after. */
  sizeWith(marked: readonly number[], markLength: number): number {
    return Math.max(this.#end() - 1, 0) + this.#placesOf(marked).length * markLength;
  }

  /**
   * The whole as pieces that never change, without the first comma, with `mark` in the marked messages (ascending) that have a
   * place for it, and `after` behind it.
   */
  pieces(marked: readonly number[], mark: Uint8Array, after: string): Uint8Array[] {
    const end = Math.max(this.#end(), 1);
    const pieces: Uint8Array[] = [];
    let from = 1;
    for (const place of this.#placesOf(marked)) {
      pieces.push(this.#bytes.subarray(from, place), mark);
      from = place;
    }
    pieces.push(this.#bytes.subarray(from, end), Buffer.from(after));
    const [head, ...tail] = pieces as [Uint8Array, ...Uint8Array[]];
    return end - 1 - head.length > largestCopy ? pieces : [head, Buffer.concat(tail)];
  }

  #end(): number {
    return this.#ends.at(-1) ?? 0;
  }

  #placesOf(marked: readonly number[]): number[] {
    const places: number[] = [];
    for (const index of marked) {
      const place = this.#marks[index] ?? -1;
      if (place > (places.at(-1) ?? 1)) places.push(place);
    }
    return places;
  }

  #append({ json, afterMark }: WrittenMessage): void {
    const start = this.#end();
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

  /** A message is made anew where a run begins, mostly with the same content. */
  #holds(json: string, start: number, end: number): boolean {
    return end <= this.#written && Buffer.from(json).equals(this.#bytes.subarray(start + 1, end));
  }

  /** To memory of its own, with room for what ends at `end` and little more: many sessions hold such memory each. */
  #move(length: number, end: number): void {
    const larger = Buffer.allocUnsafeSlow(end + Math.max(leastRoom, end >> 2));
    this.#bytes.copy(larger, 0, 0, length);
    this.#bytes = larger;
  }
}
