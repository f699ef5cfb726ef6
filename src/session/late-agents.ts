/** Agents in the background outlast the turn that began them: what a run without a person does about it. */
import { afterMs } from "../lib/after-ms.ts";
import type { QueryEngine } from "./engine.ts";

/** Said to the model with what they reported. */
export const agentsEnded =
  "What worked in the background has ended, or written, as is told below. Go on with the task.";

/** What a turn of theirs is. */
export const ofAgents = { isMeta: true, origin: { kind: "task-notification" } } as const;

const defaultCeilingMs = 600_000;

type Waited = Pick<QueryEngine, "openAgents" | "whenAgentsEnd" | "background">;

export class LateAgents {
  readonly #start: typeof afterMs;
  #isHurried = false;
  #wake = (): void => {};

  constructor(start = afterMs) {
    this.#start = start;
  }

  /**
   * Waits for the agents in the background, at most so long as `CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS` says and until a signal aborts.
   * True where there is then something to tell the model.
   */
  async haveNews(engine: Waited, signals: readonly (AbortSignal | undefined)[] = []): Promise<boolean> {
    const isOver = this.#isHurried || signals.some((signal) => signal?.aborted === true);
    if (isOver || engine.openAgents === 0) return false;
    const { promise: woken, resolve } = Promise.withResolvers<false>();
    const wake = (): void => resolve(false);
    this.#wake = wake;
    const ceilingMs = ceiling(engine.background.env?.["CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS"]);
    const cancel = ceilingMs === 0 ? undefined : this.#start(ceilingMs, wake);
    for (const signal of signals) signal?.addEventListener("abort", wake);
    try {
      const haveEnded = await Promise.race([woken, engine.whenAgentsEnd().then(() => true)]);
      return haveEnded && engine.openAgents > 0;
    } finally {
      cancel?.();
      for (const signal of signals) signal?.removeEventListener("abort", wake);
    }
  }

  /** The prompt of its own that a session goes on with; undefined where nothing is left to tell. */
  async prompt(engine: Waited): Promise<({ content: string } & typeof ofAgents) | undefined> {
    return (await this.haveNews(engine)) ? { content: agentsEnded, ...ofAgents } : undefined;
  }

  /** There is something else to do first. */
  wake(): void {
    this.#wake();
  }

  /** Nobody waits any more: the run is to stop. */
  hurry(): void {
    this.#isHurried = true;
    this.#wake();
  }
}

function ceiling(text: string | undefined): number {
  const number = text === undefined || text.trim() === "" ? NaN : Number(text);
  return Number.isSafeInteger(number) && number >= 0 ? number : defaultCeilingMs;
}
