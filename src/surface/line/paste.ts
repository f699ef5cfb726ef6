/** Bracketed paste for readline: a paste of many lines stays one prompt, shown with `␤` where its lines end. */
import { Transform, type TransformCallback } from "node:stream";

export const pasteOn = "\x1b[?2004h";
export const pasteOff = "\x1b[?2004l";

const start = "\x1b[200~";
const end = "\x1b[201~";
const lineEnd = "␤";

/** What was typed, with the line ends of pastes restored. */
export function restorePaste(line: string): string {
  return line.replaceAll(lineEnd, "\n");
}

/** Raw mode is the terminal's; a stream that is none has no such thing. */
export interface RawModeSource {
  setRawMode?(isRaw: boolean): unknown;
}

/** Sits between the terminal and readline. `heard` runs before each chunk goes on. */
export class PasteFilter extends Transform {
  readonly #source: RawModeSource;
  readonly #heard: () => void;
  #isPasting = false;
  #rest = "";

  constructor(source: RawModeSource, heard: () => void) {
    super({ decodeStrings: false, encoding: "utf8" });
    this.#source = source;
    this.#heard = heard;
  }

  /** Readline asks its input for this. */
  setRawMode(isRaw: boolean): this {
    this.#source.setRawMode?.(isRaw);
    return this;
  }

  override _transform(chunk: string | Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const text = this.#rest + (typeof chunk === "string" ? chunk : chunk.toString("utf8"));
    const kept = partialMark(text);
    this.#rest = text.slice(text.length - kept);
    const out = this.#convert(text.slice(0, text.length - kept));
    if (out !== "") {
      this.#heard();
      this.push(out);
    }
    done();
  }

  override _flush(done: TransformCallback): void {
    if (this.#rest !== "") this.push(this.#rest);
    done();
  }

  #convert(text: string): string {
    let out = "";
    let at = 0;
    while (at < text.length) {
      const mark = this.#isPasting ? end : start;
      const found = text.indexOf(mark, at);
      const piece = text.slice(at, found === -1 ? text.length : found);
      out += this.#isPasting ? flat(piece) : piece;
      if (found === -1) break;
      this.#isPasting = !this.#isPasting;
      at = found + mark.length;
    }
    return out;
  }
}

/** Nothing in a paste may act as a key: no line end that submits, no control that edits. */
function flat(text: string): string {
  return text.replace(/\r\n?|\n/gu, lineEnd).replace(controls, "");
}

const controls = new RegExp(String.raw`[\x00-\x08\x0b-\x1f\x7f]`, "gu");

/** Length of a paste mark's beginning at the end of the text, but for a lone ESC, which is a key. */
function partialMark(text: string): number {
  for (let length = start.length - 1; length > 2; length -= 1) {
    const tail = text.slice(-length);
    if (tail.length === length && (start.startsWith(tail) || end.startsWith(tail))) return length;
  }
  return 0;
}
