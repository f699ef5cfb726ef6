/** Streamed text made safe piece by piece: what the next piece may complete waits for it. */
import { sanitize } from "../../lib/sanitize.ts";

/** The beginning of what ends later: a surrogate pair, a line end, an escape sequence, a control string. */
const begun = new RegExp(
  [
    String.raw`[\ud800-\udbff\r]$`,
    String.raw`(?:\x1b\[|\x9b)[\x30-\x3f]*[\x20-\x2f]*$`,
    String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*\x1b?$`,
    String.raw`\x1b[\x20-\x2f]*$`,
  ].join("|"),
);
/** Emoji that a zero-width joiner may go on from. */
const joinable = /(?:\p{Extended_Pictographic}[\p{Emoji_Modifier}\ufe0f]?\u200d?)+$/u;
const longestCluster = 64;
/** A sequence that is still open after this many characters is shown as text. */
const longestSequence = 4_096;

export class DeltaText {
  #kept = "";

  push(delta: string): string {
    const text = this.#kept + delta;
    const open = begun.exec(text.slice(-longestSequence))?.[0].length ?? 0;
    const before = text.slice(0, text.length - open);
    const waiting = (joinable.exec(before.slice(-longestCluster))?.[0].length ?? 0) + open;
    this.#kept = text.slice(text.length - waiting);
    return sanitize(text.slice(0, text.length - waiting));
  }

  end(): string {
    const rest = this.#kept;
    this.#kept = "";
    return sanitize(rest);
  }
}
