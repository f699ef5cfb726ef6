/** Background agents that outlast the turn that started them: how a run without a person handles their news. */
import { onAbort } from "../../lib/on-abort.ts";
import { afterMs } from "../../lib/after-ms.ts";
import type { SDKResultMessage } from "../../protocol/sdk.ts";
import type { QueryEngine } from "../engine.ts";
import { wholeNumber } from "../options/variables.ts";

/** The text the model receives together with the agents' reports. */
export const agentsEndedPrompt = "Background work has ended or sent messages, as reported below. Go on with the task.";

/** The submit options of a turn that reports on background agents. */
export const agentReportOptions = { isMeta: true, origin: { kind: "task-notification" } } as const;

/**
 * Whether a turn ended at the limit of its answers or of its costs. A run that ends like that waits for no agents: what they report would
 * be a turn with a limit of its own, and its success would hide that the limit was reached.
 */
export function isLimitResult({ subtype }: SDKResultMessage): boolean {
  return subtype === "error_max_turns" || subtype === "error_max_budget_usd";
}

const defaultWaitMs = 600_000;

type WaitedEngine = Pick<QueryEngine, "openAgents" | "whenAgentsEnd" | "background">;

export class LateAgents {
  readonly #start: typeof afterMs;
  readonly #isRunOver: () => boolean;
  #hasStoppedWaiting = false;
  /** Set until the next prompt: no background agent is waited for. */
  isHeld = false;
  /** Called when holding begins, because no turn will report the agents that end from then on. */
  onHeld = (): void => {};
  #wake = (): void => {};
  #restart = (): void => {};

  /** `isRunOver`: whether nobody waits for the agents any more. */
  constructor(start = afterMs, isRunOver = () => false) {
    this.#start = start;
    this.#isRunOver = isRunOver;
  }

  /** True if somebody ended the wait, rather than the limit. */
  get isInterrupted(): boolean {
    return this.#hasStoppedWaiting || this.isHeld;
  }

  /**
   * Waits for the background agents, at most for `CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS` and until a signal aborts. Returns true if there
   * is then something to tell the model.
   */
  async waitForNews(engine: WaitedEngine, signals: readonly (AbortSignal | undefined)[] = []): Promise<boolean> {
    const isStopped = this.#hasStoppedWaiting || this.isHeld || signals.some((signal) => signal?.aborted === true);
    if (isStopped || this.#isRunOver() || engine.openAgents === 0) return false;
    const { promise: woken, resolve } = Promise.withResolvers<false>();
    const wake = (): void => resolve(false);
    this.#wake = wake;
    const wanted = wholeNumber(engine.background.env?.["CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS"], 0);
    const ceilingMs = wanted ?? defaultWaitMs;
    let cancel = (): void => {};
    const restart = (): void => {
      cancel();
      if (ceilingMs > 0) cancel = this.#start(ceilingMs, wake);
    };
    this.#restart = restart;
    restart();
    const listening = signals.map((signal) => onAbort(signal, wake));
    try {
      const haveEnded = await Promise.race([woken, engine.whenAgentsEnd().then(() => true)]);
      return haveEnded && engine.openAgents > 0;
    } finally {
      cancel();
      if (this.#restart === restart) this.#restart = () => undefined;
      for (const end of listening) end();
    }
  }

  /** Returns the prompt with which the session continues by itself, or undefined if there is nothing left to tell. */
  async prompt(engine: WaitedEngine): Promise<({ content: string } & typeof agentReportOptions) | undefined> {
    return (await this.waitForNews(engine)) ? { content: agentsEndedPrompt, ...agentReportOptions } : undefined;
  }

  /** Ends the wait because there is something else to do first. */
  wake(): void {
    this.#wake();
  }

  /** Ends the wait if the run is over by now. */
  reconsider(): void {
    if (this.#isRunOver()) this.#wake();
  }

  /** Restarts the wait: a turn ran in between, and the wait counts from its end. */
  restart(): void {
    this.#restart();
  }

  /** Ends the turn and stops waiting: a user who interrupts does not want to wait for what the turn started. */
  stop(engine: Pick<QueryEngine, "interrupt">): void {
    this.hold();
    engine.interrupt("user");
  }

  hold(): void {
    this.isHeld = true;
    this.#wake();
    this.onHeld();
  }

  /** Stops waiting for good: the run is to end. */
  stopWaiting(): void {
    this.#hasStoppedWaiting = true;
    this.#wake();
  }
}

/** A marker that no host can pass as a prompt. */
export const newsMarker = Symbol("news");

/** Yields the same items, and `newsMarker` if `haveNews` finds some while the next item is awaited. `wake` ends the wait of `haveNews`. */
export async function* withNewsMarkers<T>(
  items: AsyncIterable<T>,
  { haveNews, wake }: { haveNews: () => Promise<boolean>; wake: () => void },
): AsyncGenerator<T | typeof newsMarker> {
  const iterator = items[Symbol.asyncIterator]();
  let nextValue: Promise<IteratorResult<T>> | undefined;
  let isThere = false;
  const arrived = (): void => {
    isThere = true;
    wake();
  };
  try {
    for (;;) {
      if (nextValue === undefined) {
        isThere = false;
        nextValue = iterator.next();
        nextValue.then(arrived, arrived);
        // An item that is already available comes first.
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (!isThere && (await haveNews())) yield newsMarker;
      else {
        const step = await nextValue;
        nextValue = undefined;
        if (step.done === true) return;
        yield step.value;
      }
    }
  } finally {
    const left = iterator.return?.(undefined);
    // An iterator that is still waiting for its next item only ends once that item arrives.
    if (nextValue === undefined) await left;
    else left?.catch(() => undefined);
  }
}
