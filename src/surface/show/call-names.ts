/** Names the call of a result whose line is not right below the call's line, as happens with parallel calls. */
import { oneLine } from "../../lib/sanitize.ts";

const maxNameLength = 40;
/** In characters. A refusal may take several rows. */
const maxRefusalLength = 500;

export class CallNames {
  /** The lines of calls without a result, by id. */
  readonly #open = new Map<string, string>();
  /** The call whose line was shown last, without a result since. */
  #last: string | undefined;

  noteCallShown(id: string, call: string): void {
    this.#open.set(id, call);
    this.#last = id;
  }

  /** Returns whether the call's line was shown and its result was not. */
  isAwaitingResult(id: string | undefined): boolean {
    return id !== undefined && this.#open.has(id);
  }

  /** Returns the reason of a refusal, with the call's name if needed. */
  labelRefusal(id: string, why: string): string {
    return this.labelResult(id, why, maxRefusalLength);
  }

  /** Returns the line of a result, with the call's name before it if needed: `Bash npm test: 3 lines: ok`. */
  labelResult(id: string, result: string, width: number): string {
    const call = this.#open.get(id);
    this.#open.delete(id);
    const isBelow = this.#last === id;
    this.#last = undefined;
    if (isBelow || call === undefined) return result;
    return oneLine(`${oneLine(call, Math.min(maxNameLength, Math.trunc(width / 2)))}: ${result}`, width);
  }
}
