/** Streamed text made safe piece by piece: half a character, or half a line end, waits for its other half. */
import { sanitize } from "../../lib/sanitize.ts";

/** By code unit: the first half of a surrogate pair, of a line end, of an escape sequence. */
const half = new RegExp(String.raw`[\ud800-\udbff\r\x1b]$`);

export class DeltaText {
  #kept = "";

  push(delta: string): string {
    const text = this.#kept + delta;
    const waits = half.test(text);
    this.#kept = waits ? text.slice(-1) : "";
    return sanitize(waits ? text.slice(0, -1) : text);
  }

  end(): string {
    const rest = this.#kept;
    this.#kept = "";
    return sanitize(rest);
  }
}
