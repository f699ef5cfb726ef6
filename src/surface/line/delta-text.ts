/** Streamed text made safe piece by piece: what the next piece may complete waits for it. */
import { sanitize } from "../../lib/sanitize.ts";

/** By code unit: the first half of a surrogate pair, of a line end, of an escape sequence. */
const half = new RegExp(String.raw`[\ud800-\udbff\r\x1b]$`);
/** Emoji that a zero-width joiner may go on from. */
const joinable = /(?:\p{Extended_Pictographic}[\p{Emoji_Modifier}\ufe0f]?\u200d?)+$/u;
const longestCluster = 64;

export class DeltaText {
  #kept = "";

  push(delta: string): string {
    const text = this.#kept + delta;
    const open = half.test(text) ? 1 : 0;
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
