/** Names the call of a result, and the agent of a call, whose line is not below its own, as happens with parallel calls. */
import { oneLine } from "../../lib/sanitize.ts";

const maxNameLength = 40;
/** In characters. A refusal may take several rows. */
const maxRefusalLength = 500;

export class CallNames {
  /** The calls without a result, by id. `agent`: the call that began the agent that makes it. */
  readonly #open = new Map<string, { call: string; agent: string | null }>();
  /** The call whose line was shown last, without a result since. */
  #last: string | undefined;
  /** The call that began the agent for whose calls the next lines would be taken. */
  #above: string | undefined;

  /** Returns the line of a call, with its agent's name before it if needed: `Task mend it: Bash npm test`. `agent`: the call that began it. */
  labelCall(id: string, call: string, agent: string | null, width: number): string {
    const name = agent === null || agent === this.#above ? undefined : this.#open.get(agent)?.call;
    this.#open.set(id, { call, agent });
    this.#last = id;
    this.#above = agent ?? id;
    return name === undefined ? call : labelled(name, call, width);
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
    const open = this.#open.get(id);
    this.#open.delete(id);
    const isBelow = this.#last === id;
    this.#last = undefined;
    if (isBelow || open === undefined) return result;
    if ((open.agent ?? id) !== this.#above) this.#above = undefined;
    return labelled(open.call, result, width);
  }
}

function labelled(name: string, line: string, width: number): string {
  return oneLine(`${oneLine(name, Math.min(maxNameLength, Math.trunc(width / 2)))}: ${line}`, width);
}
