/** Agents in the background outlast the turn that began them: what a run without a person does about it. */
import { onAbort } from "../../lib/on-abort.ts";
import { afterMs } from "../../lib/after-ms.ts";
import type { QueryEngine } from "../engine.ts";
import { wholeNumber } from "../options/variables.ts";

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
  /** Nothing is waited for until the next prompt. */
  isHeld = false;
  /** Called where that begins: no turn tells of what ends. */
  onHeld = (): void => {};
  #wake = (): void => {};
  #restart = (): void => {};

  constructor(start = afterMs) {
    this.#start = start;
  }

  /**
   * Waits for the agents in the background, at most so long as `CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS` says and until a signal aborts.
   * True where there is then something to tell the model.
   */
  async haveNews(engine: Waited, signals: readonly (AbortSignal | undefined)[] = []): Promise<boolean> {
    const isOver = this.#isHurried || this.isHeld || signals.some((signal) => signal?.aborted === true);
    if (isOver || engine.openAgents === 0) return false;
    const { promise: woken, resolve } = Promise.withResolvers<false>();
    const wake = (): void => resolve(false);
    this.#wake = wake;
    const wanted = wholeNumber(engine.background.env?.["CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS"], 0);
    const ceilingMs = wanted ?? defaultCeilingMs;
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

  /** The prompt of its own that a session goes on with; undefined where nothing is left to tell. */
  async prompt(engine: Waited): Promise<({ content: string } & typeof ofAgents) | undefined> {
    return (await this.haveNews(engine)) ? { content: agentsEnded, ...ofAgents } : undefined;
  }

  /** There is something else to do first. */
  wake(): void {
    this.#wake();
  }

  /** A turn was between: the wait counts from its end. */
  restart(): void {
    this.#restart();
  }

  /** Ends the turn. Who stops it does not wait for what it has begun. */
  stop(engine: Pick<QueryEngine, "interrupt">): void {
    this.hold();
    engine.interrupt("user");
  }

  hold(): void {
    this.isHeld = true;
    this.#wake();
    this.onHeld();
  }

  /** Nobody waits any more: the run is to stop. */
  hurry(): void {
    this.#isHurried = true;
    this.#wake();
  }
}

/** What no host can hand over as a prompt. */
export const news = Symbol("news");

/** The same items, and `news` where `haveNews` finds some while the next one is waited for. `wake` ends its wait. */
export async function* withNews<T>(
  items: AsyncIterable<T>,
  { haveNews, wake }: { haveNews: () => Promise<boolean>; wake: () => void },
): AsyncGenerator<T | typeof news> {
  const iterator = items[Symbol.asyncIterator]();
  let coming: Promise<IteratorResult<T>> | undefined;
  let isThere = false;
  const arrived = (): void => {
    isThere = true;
    wake();
  };
  try {
    for (;;) {
      if (coming === undefined) {
        isThere = false;
        coming = iterator.next();
        coming.then(arrived, arrived);
        // What lies ready comes first.
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (!isThere && (await haveNews())) yield news;
      else {
        const step = await coming;
        coming = undefined;
        if (step.done === true) return;
        yield step.value;
      }
    }
  } finally {
    const left = iterator.return?.(undefined);
    // One that still waits for its next item ends when that comes.
    if (coming === undefined) await left;
    else left?.catch(() => undefined);
  }
}
