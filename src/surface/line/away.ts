/** While another program has the terminal: the shell that a person goes to, or one that is lent it, as an editor is. */
import { setImmediate } from "node:timers/promises";
import type { KeyboardHandlers, KeyboardOptions } from "./keyboard-options.ts";
import type { KeySource } from "./key-source.ts";
import type { LentTerminal } from "./lent-terminal.ts";
import type { PromptArea } from "./prompt-area.ts";

interface Here {
  job: KeyboardOptions["job"];
  handlers: Pick<KeyboardHandlers, "continued" | "lends" | "returned">;
  area: PromptArea;
  terminal: LentTerminal;
  source: KeySource;
  isClosed: () => boolean;
  /** The prompt, where it was. */
  paint: () => void;
}

export class Away {
  readonly #here: Here;
  #isLent = false;

  constructor(here: Here) {
    this.#here = here;
  }

  /** A program has the terminal, and ends by itself. */
  get isLent(): boolean {
    return this.#isLent;
  }

  /** To the shell. */
  suspend(): void {
    const { job, area, terminal, paint, isClosed } = this.#here;
    if (job === undefined) return;
    if (area.isShown) paint();
    area.toEnd();
    terminal.giveBack();
    job.suspend();
    if (!isClosed()) terminal.takeAgain();
  }

  /** The shell has written where the prompt was. What has the terminal at that moment sees to it by itself. */
  continued(): void {
    if (this.#isLent) return;
    const { job, handlers, area, terminal, paint, isClosed } = this.#here;
    const { isShown } = area;
    area.forget();
    if (!isClosed()) terminal.takeAgain();
    job?.readSize();
    handlers.continued();
    if (isShown) paint();
  }

  /** As long as `work` takes. One at a time: another is not begun. */
  async lend(work: () => Promise<void>): Promise<void> {
    const { job, handlers, area, terminal, source, isClosed } = this.#here;
    if (this.#isLent || isClosed()) return;
    this.#isLent = true;
    area.wipe();
    terminal.giveBack();
    source.rest();
    handlers.lends();
    try {
      // Only then Node has left the terminal's keys to others.
      await setImmediate();
      await work();
    } finally {
      this.#isLent = false;
      if (!isClosed()) {
        terminal.takeAgain();
        source.goOn();
        job?.readSize();
        handlers.returned();
      }
    }
  }
}
