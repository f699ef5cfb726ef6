/** Bracketed paste for readline: a paste of many lines stays one prompt. */
import { StringDecoder } from "node:string_decoder";
import { Transform, type TransformCallback } from "node:stream";

export const pasteOn = "\x1b[?2004h";
export const pasteOff = "\x1b[?2004l";

const start = "\x1b[200~";
const end = "\x1b[201~";
/** Stands for a line end in the line that is typed. A noncharacter: no text holds it. */
export const lineEnd = "\ufdd0";

/** What was typed, with the line ends of pastes restored. */
export function restorePaste(line: string): string {
  return line.replaceAll(lineEnd, "\n");
}

/** Raw mode is the terminal's; a stream that is none has no such thing. */
export interface RawModeSource {
  setRawMode?(isRaw: boolean): unknown;
}

/** Sits between the terminal and readline. */
export class PasteFilter extends Transform {
  readonly #source: RawModeSource;
  /** A terminal gives 4 KiB at a time, and cuts characters. */
  readonly #decoder = new StringDecoder("utf8");
  /** What came of a paste so far: it goes on as one piece, since readline measures its whole line after each. */
  #pasted: string[] | undefined;
  #rest = "";

  constructor(source: RawModeSource) {
    super({ decodeStrings: false, encoding: "utf8" });
    this.#source = source;
  }

  /** Readline asks its input for this. */
  setRawMode(isRaw: boolean): this {
    this.#source.setRawMode?.(isRaw);
    return this;
  }

  override _transform(chunk: string | Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const text = this.#rest + (typeof chunk === "string" ? chunk : this.#decoder.write(chunk));
    this.#rest = "";
    const out = this.#convert(text);
    if (out !== "") this.push(out);
    done();
  }

  override _flush(done: TransformCallback): void {
    this.push(this.#pasted === undefined ? this.#rest : flat(this.#pasted.join("") + this.#rest));
    done();
  }

  #convert(text: string): string {
    let out = "";
    let at = 0;
    for (;;) {
      const mark = this.#pasted === undefined ? start : end;
      const found = text.indexOf(mark, at);
      const to = found === -1 ? text.length - openLength(text.slice(at), mark) : found;
      const piece = text.slice(at, to);
      if (this.#pasted === undefined) out += piece;
      else this.#pasted.push(piece);
      if (found === -1) {
        this.#rest = text.slice(to);
        return out;
      }
      if (this.#pasted !== undefined) out += flat(this.#pasted.join(""));
      this.#pasted = this.#pasted === undefined ? [] : undefined;
      at = found + mark.length;
    }
  }
}

/** Nothing in a paste may act as a key: no line end that submits, no control that edits. */
function flat(text: string): string {
  return text
    .replaceAll(lineEnd, "")
    .replace(/\r\n?|\n/gu, lineEnd)
    .replace(controls, "");
}

const controls = new RegExp(String.raw`[\x00-\x08\x0b-\x1f\x7f-\x9f]`, "gu");

/** Length of a mark's beginning at the end of the text. Outside of a paste an ESC alone is a key, and so is what begins like an arrow. */
function openLength(text: string, mark: string): number {
  const shortest = mark === end ? 1 : 3;
  for (let length = mark.length - 1; length >= shortest; length -= 1)
    if (text.endsWith(mark.slice(0, length))) return length;
  return 0;
}
