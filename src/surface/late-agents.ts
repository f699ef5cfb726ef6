/** Agents in the background outlast the turn that began them: what a run without a person does about it. */
import { settlesWithin, startTimer, type StartTimer } from "./deadline.ts";
import type { Engine } from "./engine-port.ts";

/** Said to the model with what they reported. */
export const agentsEnded =
  "What worked in the background has ended, or written, as is told below. Go on with the task.";

/** What a turn of theirs is. */
export const ofAgents = { isMeta: true, origin: { kind: "task-notification" } } as const;

const defaultCeilingMs = 600_000;

type Waited = Pick<Engine, "openAgents" | "whenAgentsEnd" | "background">;

export class LateAgents {
  readonly #start: StartTimer;
  #isHurried = false;
  #wake = (): void => {};

  constructor(start: StartTimer = startTimer) {
    this.#start = start;
  }

  /**
   * Waits for the agents in the background, at most so long as `CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS` says. True where there is then
   * something to tell the model.
   */
  async haveNews(engine: Waited): Promise<boolean> {
    if (this.#isHurried || engine.openAgents === 0) return false;
    const { promise: hurried, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const ended = Promise.race([engine.whenAgentsEnd(), hurried]);
    const ceilingMs = ceiling(engine.background.env?.["CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS"]);
    if (ceilingMs === 0) await ended;
    else if (!(await settlesWithin(ended, ceilingMs, this.#start))) return false;
    return !this.#isHurried && engine.openAgents > 0;
  }

  /** The prompt of its own that a session goes on with; undefined where nothing is left to tell. */
  async prompt(engine: Waited): Promise<({ content: string } & typeof ofAgents) | undefined> {
    return (await this.haveNews(engine)) ? { content: agentsEnded, ...ofAgents } : undefined;
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
