/** A conversation's messages as bytes, one after the other: what one request wrote is not written again for the next. */
import type { ApiMessage } from "../../protocol/model.ts";

export interface WrittenMessage {
  role: ApiMessage["role"];
  /** The JSON of each block. */
  blocks: readonly string[];
  /** Index of the block that may end with `cache_control`; -1 if there is none. */
  markable: number;
}

const comma = 44;
const openings = {
  user: Buffer.from(',{"role":"user","content":['),
  assistant: Buffer.from(',{"role":"assistant","content":['),
};
const closing = Buffer.from("]}");
const minCapacity = 4 * 1024;
/** The part that changes from request to request is copied into one piece, up to this many bytes. */
const maxCopyBytes = 64 * 1024;

export class MessageBytes {
  /** Each message is preceded by a comma. Written bytes never change: a request in flight may be reading them. */
  #bytes = Buffer.allocUnsafeSlow(minCapacity);
  #writtenEnd = 0;
  readonly #messages: ApiMessage[] = [];
  readonly #ends: number[] = [];
  /** Where `cache_control` goes; -1 if it may not. */
  readonly #marks: number[] = [];

  /** Replaces the contents with these messages. A message that was already at the same place keeps its written bytes. */
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

  /** The size of `pieces` with the same marks, a mark of `markLength` bytes and an empty `after`. */
  sizeWith(marked: readonly number[], markLength: number): number {
    return Math.max(this.#end() - 1, 0) + this.#placesOf(marked).length * markLength;
  }

  /**
   * Returns everything as pieces that never change, without the first comma: with `mark` in each marked message (ascending) that
   * has a place for it, and followed by `after`.
   */
  pieces(marked: readonly number[], mark: Uint8Array, after: Uint8Array): Uint8Array[] {
    const places = this.#placesOf(marked);
    const end = Math.max(this.#end(), 1);
    const headEnd = places[0] ?? end;
    const head = this.#bytes.subarray(1, headEnd);
    if (places.length === 0) return [head, after];
    places.push(end);
    if (end - headEnd > maxCopyBytes) return [head, ...this.#parts(places, mark), after];
    return [head, this.#copyParts(places, mark, after)];
  }

  /** The bytes between these places, with `mark` before each part. */
  #parts(places: readonly number[], mark: Uint8Array): Uint8Array[] {
    const parts: Uint8Array[] = [];
    for (let index = 1; index < places.length; index++)
      parts.push(mark, this.#bytes.subarray(places[index - 1], places[index]));
    return parts;
  }

  /** The same parts and `after`, copied into one piece. */
  #copyParts(places: readonly number[], mark: Uint8Array, after: Uint8Array): Uint8Array {
    const [first = 0] = places;
    const last = places.length - 1;
    const copy = Buffer.allocUnsafe((places[last] ?? 0) - first + last * mark.length + after.length);
    let at = 0;
    for (let index = 1; index <= last; index++) {
      copy.set(mark, at);
      at += mark.length;
      at += this.#bytes.copy(copy, at, places[index - 1], places[index]);
    }
    copy.set(after, at);
    return copy;
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

  #append(message: WrittenMessage): void {
    const { role, blocks, markable } = message;
    const start = this.#end();
    let end = start + openings[role].length;
    let mark = -1;
    for (let index = 0; index < blocks.length; index++) {
      if (index > 0) end++;
      end += Buffer.byteLength(blocks[index] as string);
      if (index === markable) mark = end - 1;
    }
    end += closing.length;
    if (!this.#isWrittenAt(message, start, end)) {
      if (end > this.#bytes.length || start < this.#writtenEnd) this.#grow(start, end);
      writeMessage(this.#bytes, start, message);
      this.#writtenEnd = end;
    }
    this.#ends.push(end);
    this.#marks.push(mark);
  }

  /** The message's bytes are already there: messages are rebuilt when a run begins, mostly with the same content. */
  #isWrittenAt(message: WrittenMessage, start: number, end: number): boolean {
    if (end > this.#writtenEnd) return false;
    const written = Buffer.allocUnsafe(end - start);
    writeMessage(written, 0, message);
    return written.equals(this.#bytes.subarray(start, end));
  }

  /** Moves the bytes to memory of their own with little room beyond `end`: many sessions each hold such memory. */
  #grow(length: number, end: number): void {
    const larger = Buffer.allocUnsafeSlow(end + Math.max(minCapacity, end >> 2));
    this.#bytes.copy(larger, 0, 0, length);
    this.#bytes = larger;
  }
}

/** Writes the message, preceded by a comma. Writes block by block, because joining would copy a long text once more. */
function writeMessage(target: Buffer, start: number, { role, blocks }: WrittenMessage): void {
  target.set(openings[role], start);
  let at = start + openings[role].length;
  for (let index = 0; index < blocks.length; index++) {
    if (index > 0) target[at++] = comma;
    at += target.write(blocks[index] as string, at);
  }
  target.set(closing, at);
}
