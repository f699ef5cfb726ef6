/** Makes streamed text safe to show, piece by piece. Text that the next piece may complete is kept back. */
import { sanitize, stripControls } from "../../lib/sanitize.ts";
import { joiningLetters } from "../../lib/invisible-characters.ts";

/** The open beginning of a surrogate pair, a line end, an escape sequence or a control string. */
const incompleteTail = new RegExp(
  [
    String.raw`[\ud800-\udbff\r]$`,
    String.raw`(?:\x1b\[|\x9b)[\x30-\x3f]*[\x20-\x2f]*$`,
    String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*\x1b?$`,
    String.raw`\x1b[\x20-\x2f]*$`,
  ].join("|"),
);
/** Emoji that a zero-width joiner may continue, and letters whose spelling may include one. */
const joinable = new RegExp(
  [
    String.raw`(?:\p{Extended_Pictographic}[\p{Emoji_Modifier}\ufe0f]?\u200d?)+$`,
    String.raw`(?:[${joiningLetters}][\u200c\u200d])*[${joiningLetters}][\u200c\u200d]?$`,
  ].join("|"),
  "u",
);
const maxClusterLength = 64;
/** A sequence still open after this many characters is shown as text. */
const maxSequenceLength = 4_096;

export class DeltaText {
  /** Raw text: the open beginning that a later piece ends. */
  #open = "";
  /** Text without controls that the next piece may join. */
  #cluster = "";

  push(delta: string): string {
    const raw = this.#open + delta;
    const open = incompleteTail.exec(raw.slice(-maxSequenceLength))?.[0].length ?? 0;
    this.#open = raw.slice(raw.length - open);
    // Removing a sequence joins the characters around it, so look for clusters after that.
    const text = this.#cluster + stripControls(raw.slice(0, raw.length - open));
    const waiting = joinable.exec(text.slice(-maxClusterLength))?.[0].length ?? 0;
    this.#cluster = text.slice(text.length - waiting);
    return sanitize(text.slice(0, text.length - waiting));
  }

  end(): string {
    const rest = this.#cluster + stripControls(this.#open);
    this.#open = "";
    this.#cluster = "";
    return sanitize(rest);
  }
}

/** Removes leading line ends. Many models begin their answers with empty lines. */
export function withoutLeadingLineEnds(text: string): string {
  return text.replace(/^[\r\n]+/u, "");
}
