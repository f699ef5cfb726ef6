/** Reads the bits of a JPEG scan, and the Huffman codes in them: ITU T.81, annexes C and F.2.2. */
import { PictureError } from "./picture.ts";

/** Reads bits up to a marker or the end; after that, zeros. */
export class BitReader {
  readonly #bytes: Uint8Array;
  #at: number;
  #bits = 0;
  #count = 0;
  /** The number of zeros added beyond the end. */
  #paddingBits = 0;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** More bits were requested than there are. */
  get isExhausted(): boolean {
    return this.#paddingBits > this.#count;
  }

  /** Offset of the next marker, or the end. */
  get position(): number {
    let at = this.#at;
    while (at < this.#bytes.length && !this.#isMarker(at)) at++;
    return at;
  }

  /** The next `count` bits, at most 16, without consuming them. */
  peek(count: number): number {
    if (this.#count < count) this.#fill();
    return (this.#bits >>> (this.#count - count)) & ((1 << count) - 1);
  }

  skip(count: number): void {
    this.#count -= count;
  }

  /** At most 16 bits. */
  take(count: number): number {
    if (count === 0) return 0;
    const value = this.peek(count);
    this.#count -= count;
    return value;
  }

  /** A signed number of `count` bits; the lower half of the range is negative: T.81, F.2.2.1. */
  takeSigned(count: number): number {
    if (count === 0) return 0;
    const value = this.take(count);
    return value < 1 << (count - 1) ? value - (1 << count) + 1 : value;
  }

  /** Continues after the next restart marker; false if another marker or the end comes first. */
  restart(): boolean {
    this.#bits = 0;
    this.#count = 0;
    this.#paddingBits = 0;
    this.#at = this.position;
    const marker = this.#bytes[this.#at + 1] ?? 0;
    if (marker < 0xd0 || marker > 0xd7) return false;
    this.#at += 2;
    return true;
  }

  #isMarker(at: number): boolean {
    return this.#bytes[at] === 0xff && (this.#bytes[at + 1] ?? 0) !== 0 && this.#bytes[at + 1] !== 0xff;
  }

  #fill(): void {
    while (this.#count <= 24) {
      let byte = this.#bytes[this.#at];
      if (byte === undefined || (byte === 0xff && this.#bytes[this.#at + 1] !== 0)) {
        byte = 0;
        this.#paddingBits += 8;
      } else this.#at += byte === 0xff ? 2 : 1;
      this.#bits = (this.#bits << 8) | byte;
      this.#count += 8;
    }
  }
}

const quickBits = 9;

/** A table of Huffman codes. */
export class HuffmanTable {
  /** By the next nine bits: code length << 8 | symbol; 0 if the code is longer. */
  readonly #quick = new Uint16Array(1 << quickBits);
  /** By length: the first value beyond the codes of that length, and what to add to a code for the index of its symbol. */
  readonly #end = new Int32Array(17).fill(-1);
  readonly #offset = new Int32Array(17);
  readonly #symbols: Uint8Array;

  /** `counts`: the numbers of codes with 1 to 16 bits. */
  constructor(counts: Uint8Array, symbols: Uint8Array) {
    this.#symbols = symbols;
    let code = 0;
    let index = 0;
    for (let length = 1; length <= 16; length++) {
      const count = counts[length - 1] ?? 0;
      this.#offset[length] = index - code;
      for (let each = 0; each < count; each++, code++, index++) this.#addQuickCode(code, length, symbols[index] ?? 0);
      if (count > 0) this.#end[length] = code;
      if (code > 1 << length) throw new PictureError("its code tables make no sense");
      code <<= 1;
    }
  }

  #addQuickCode(code: number, length: number, symbol: number): void {
    if (length > quickBits) return;
    const first = code << (quickBits - length);
    this.#quick.fill((length << 8) | symbol, first, first + (1 << (quickBits - length)));
  }

  next(bits: BitReader): number {
    const quick = this.#quick[bits.peek(quickBits)]!;
    if (quick !== 0) {
      bits.skip(quick >> 8);
      return quick & 0xff;
    }
    const ahead = bits.peek(16);
    for (let length = quickBits + 1; length <= 16; length++) {
      const code = ahead >> (16 - length);
      if (code >= this.#end[length]!) continue;
      bits.skip(length);
      return this.#symbols[code + this.#offset[length]!] ?? 0;
    }
    throw new PictureError("its data is damaged");
  }
}
