/** Hands the terminal to another program and takes it back: the shell after Ctrl+Z, or a program such as an editor. */
import { setImmediate } from "node:timers/promises";
import type { KeyboardHandlers, KeyboardOptions } from "./keyboard-options.ts";
import type { KeySource } from "./key-source.ts";
import type { RawTerminal } from "./raw-terminal.ts";
import type { PromptArea } from "./prompt-area.ts";

interface LenderContext {
  job: KeyboardOptions["job"];
  answers: KeyboardOptions["answers"];
  handlers: Pick<KeyboardHandlers, "continued" | "beforeLend" | "afterLend">;
  area: PromptArea;
  terminal: RawTerminal;
  source: KeySource;
  isClosed: () => boolean;
  /** Paints the prompt again. */
  paint: () => void;
}

export class TerminalLender {
  readonly #context: LenderContext;
  #isLent = false;

  constructor(context: LenderContext) {
    this.#context = context;
  }

  /** True while a program has the terminal until it ends by itself. */
  get isLent(): boolean {
    return this.#isLent;
  }

  /** Suspends pawl and returns to the shell. */
  suspend(): void {
    this.#context.answers.whenOver(this.#suspend);
  }

  readonly #suspend = (): void => {
    const { job, area, terminal, paint, isClosed } = this.#context;
    if (job === undefined || isClosed()) return;
    if (area.isShown) paint();
    area.cursorToEnd();
    terminal.giveBack();
    job.suspend();
    if (!isClosed()) terminal.takeAgain();
  };

  /** Repaints after a suspension, since the shell has written over the prompt. A program that has the terminal repaints itself. */
  onContinue(): void {
    if (this.#isLent) return;
    const { job, handlers, area, terminal, paint, isClosed } = this.#context;
    const { isShown } = area;
    area.forget();
    if (!isClosed()) terminal.takeAgain();
    job?.readSize();
    handlers.continued();
    if (isShown) paint();
  }

  /** Lends the terminal while `work` runs. Does nothing if it is lent already. */
  async lend(work: () => Promise<void>): Promise<void> {
    const { job, handlers, answers, area, terminal, source, isClosed } = this.#context;
    if (answers.isDue) await answers.over();
    if (this.#isLent || isClosed()) return;
    this.#isLent = true;
    area.wipe();
    terminal.giveBack();
    source.pause();
    handlers.beforeLend();
    try {
      // Node stops reading the terminal only in a later iteration of its event loop.
      await setImmediate();
      await work();
    } finally {
      this.#isLent = false;
      if (!isClosed()) {
        terminal.takeAgain();
        source.resume();
        job?.readSize();
        handlers.afterLend();
      }
    }
  }
}
