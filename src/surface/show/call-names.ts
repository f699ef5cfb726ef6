/** Whose a result is, where its line does not stand right below that of its call: calls that run side by side are told first. */
import { oneLine } from "../../lib/sanitize.ts";

const longest = 40;
/** Characters; it may have several rows. */
const longestRefusal = 500;

export class CallNames {
  /** Calls without a result, by id, as they were told. */
  readonly #open = new Map<string, string>();
  /** The call whose line came last, with no result since. */
  #last: string | undefined;

  told(id: string, call: string): void {
    this.#open.set(id, call);
    this.#last = id;
  }

  /** Why it was refused, named the same way. */
  refusal(id: string, why: string): string {
    return this.named(id, why, longestRefusal);
  }

  /** The line of its result, behind its name where that is needed: `Bash npm test: 3 lines: ok`. */
  named(id: string, result: string, width: number): string {
    const call = this.#open.get(id);
    this.#open.delete(id);
    const isBelow = this.#last === id;
    this.#last = undefined;
    if (isBelow || call === undefined) return result;
    return oneLine(`${oneLine(call, Math.min(longest, Math.trunc(width / 2)))}: ${result}`, width);
  }
}
