/** Frames of a WebSocket (RFC 6455) as a client writes and reads them, without compression. */
import { randomBytes } from "node:crypto";

export type FrameKind = "text" | "binary" | "close" | "ping" | "pong";

const codes: Readonly<Record<FrameKind, number>> = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 };
const kinds: ReadonlyMap<number, FrameKind> = new Map(
  Object.entries(codes).map(([kind, code]) => [code, kind as FrameKind]),
);
const continuationCode = 0;
const finalBit = 0x80;
const maskBit = 0x80;
const maxControlBytes = 125;
/** Maximum number of fragments of one message: each costs memory, however short it is. */
const maxFragments = 10_000;

/** A frame with a whole message. A client has to mask its frames. */
export function encodeFrame(kind: FrameKind, payload: Buffer): Buffer {
  const { length } = payload;
  const size = length <= 125 ? 0 : length < 65_536 ? 2 : 8;
  const frame = Buffer.alloc(6 + size + length);
  frame[0] = finalBit | codes[kind];
  frame[1] = maskBit | (size === 0 ? length : size === 2 ? 126 : 127);
  if (size === 2) frame.writeUInt16BE(length, 2);
  if (size === 8) frame.writeBigUInt64BE(BigInt(length), 2);
  const mask = randomBytes(4);
  frame.set(mask, 2 + size);
  for (let at = 0; at < length; at += 1) frame[6 + size + at] = payload[at]! ^ mask[at & 3]!;
  return frame;
}

interface Head {
  isFinal: boolean;
  code: number;
  /** Bytes of the head, and of the payload that follows it. */
  length: number;
  payload: number;
}

/** Assembles incoming bytes to messages, without copying incomplete frames again and again. */
export class FrameReader {
  readonly #maxBytes: number;
  readonly #onMessage: (kind: FrameKind, payload: Buffer) => void;
  #chunks: Buffer[] = [];
  #length = 0;
  /** Fewer bytes than this are not parsed. */
  #neededBytes = 2;
  /** Kind of the fragmented message being read. */
  #kind: FrameKind | undefined;
  #fragments: Buffer[] = [];
  #fragmentsLength = 0;

  /** @param maxBytes limit for one message. */
  constructor(maxBytes: number, onMessage: (kind: FrameKind, payload: Buffer) => void) {
    this.#maxBytes = maxBytes;
    this.#onMessage = onMessage;
  }

  /** Returns what is wrong with the bytes, as a clause; nothing can be read after that. */
  push(chunk: Buffer): string | undefined {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    while (this.#length >= this.#neededBytes) {
      const bytes = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
      this.#chunks = [bytes];
      const head = parseHead(bytes);
      if (typeof head === "number") {
        this.#neededBytes = head;
        continue;
      }
      if (!this.#isValidHead(head)) return "it sent something that is not a WebSocket frame";
      if (head.payload + this.#fragmentsLength > this.#maxBytes)
        return `it sent a message of more than ${this.#maxBytes / 1024 / 1024} MiB`;
      const end = head.length + head.payload;
      this.#neededBytes = end;
      if (bytes.length < end) continue;
      this.#chunks = [bytes.subarray(end)];
      this.#length = bytes.length - end;
      this.#neededBytes = 2;
      this.#handleFrame(head, bytes.subarray(head.length, end));
    }
    return undefined;
  }

  /** Checks the head alone: an invalid frame may never reach the length that it announces. */
  #isValidHead({ isFinal, code, payload }: Head): boolean {
    if (code >= codes.close) return kinds.has(code) && isFinal && payload <= maxControlBytes;
    const isNext = this.#kind === undefined ? kinds.has(code) : code === continuationCode;
    return isNext && (isFinal || this.#fragments.length < maxFragments);
  }

  #handleFrame({ isFinal, code }: Head, payload: Buffer): void {
    const kind = kinds.get(code);
    if (kind !== undefined && code >= codes.close) return this.#onMessage(kind, payload);
    this.#kind ??= kind;
    this.#fragments.push(payload);
    this.#fragmentsLength += payload.length;
    if (!isFinal) return;
    const [whole, pieces] = [this.#kind, this.#fragments];
    this.#kind = undefined;
    this.#fragments = [];
    this.#fragmentsLength = 0;
    if (whole !== undefined) this.#onMessage(whole, Buffer.concat(pieces));
  }
}

/** The frame's head, or the number of bytes needed to read it. */
function parseHead(bytes: Buffer): Head | number {
  const [first = 0, second = 0] = bytes;
  const short = second & 0x7f;
  const size = short === 126 ? 2 : short === 127 ? 8 : 0;
  if (bytes.length < 2 + size) return 2 + size;
  const payload = size === 0 ? short : size === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  // A server must not mask, or compress without negotiation. A frame that claims either gets a code that no message has.
  const isPlain = (first & 0x70) === 0 && (second & maskBit) === 0;
  return { isFinal: (first & finalBit) !== 0, code: isPlain ? first & 0x0f : 0x0f, length: 2 + size, payload };
}
