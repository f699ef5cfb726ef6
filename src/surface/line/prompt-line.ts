/** The terminal's last line: shows the prompt there, and delivers the lines sent from it. */
import type { Engine } from "../engine-port.ts";
import type { Style } from "../show/style.ts";
import type { QuestionQueue } from "./question-queue.ts";
import type { Keyboard } from "./keyboard.ts";
import { backgroundNews } from "./background-news.ts";
import { promptWithMode } from "./mode-commands.ts";
import type { Screen } from "./screen.ts";

/** A typed line, background news, or undefined if the person has left. */
export type NextLine = string | typeof backgroundNews | undefined;

interface PromptLineContext {
  keyboard: Keyboard;
  screen: Screen;
  asking: QuestionQueue;
  style: Style;
  /** Returns whether a turn runs. */
  isRunning: () => boolean;
  engine: () => Engine | undefined;
  /** Called when the prompt is shown again. */
  waits: (engine: Engine) => void;
  /** Called when the prompt is empty. */
  isEmpty: (engine: Engine) => void;
}

export class PromptLine {
  readonly #context: PromptLineContext;
  #deliver: ((line: NextLine) => void) | undefined;

  constructor(context: PromptLineContext) {
    this.#context = context;
  }

  /** True if the prompt is shown and no question is in its place. */
  get isReady(): boolean {
    return this.#deliver !== undefined && !this.#context.asking.isOpen;
  }

  next(engine: Engine): Promise<NextLine> {
    return new Promise((resolve) => {
      this.#deliver = (line) => {
        this.#deliver = undefined;
        resolve(line);
      };
      this.#context.screen.gap();
      this.#showPrompt();
      this.#context.waits(engine);
      this.#context.isEmpty(engine);
    });
  }

  /** Returns whether a caller of `next` waited for the line. */
  deliver(line: NextLine): boolean {
    const deliver = this.#deliver;
    deliver?.(line);
    return deliver !== undefined;
  }

  /** Delivers background news if nothing is being typed, here or in an editor. A typed prompt reports the news itself. */
  deliverNews(): boolean {
    const { keyboard, screen, asking, style } = this.#context;
    if (this.#deliver === undefined || keyboard.draft !== "" || keyboard.isLent) return false;
    if (!asking.isOpen) keyboard.wipe();
    screen.line(style.dim("(background work has reported)"));
    this.#deliver(backgroundNews);
    return true;
  }

  /** Shows the prompt again after a question in its place. */
  onAnswered(): void {
    const { keyboard, screen, style } = this.#context;
    if (this.#deliver === undefined && keyboard.draft !== "") return keyboard.prompt(style.marks.busyPrompt);
    keyboard.wipe();
    screen.release();
    if (this.#deliver !== undefined) this.#showPrompt();
  }

  /** Text is typed while no prompt is shown. */
  onTyping(): void {
    const { keyboard, screen, asking, style, isRunning } = this.#context;
    const { busyPrompt } = style.marks;
    if (asking.waitsForPause) return this.#deliver === undefined ? keyboard.prompt(busyPrompt) : this.#showPrompt();
    if (!isRunning() || screen.isHeld) return;
    screen.hold();
    keyboard.prompt(busyPrompt);
  }

  /** The typed text was deleted and not sent. */
  onEmptied(): void {
    const { keyboard, screen, asking, isRunning, engine } = this.#context;
    const spoken = engine();
    if (this.#deliver !== undefined && spoken !== undefined) this.#context.isEmpty(spoken);
    if (!isRunning() || asking.isOpen || !screen.isHeld) return;
    keyboard.wipe();
    screen.release();
  }

  /** Shows the prompt after another program had the terminal. Its text may have changed. */
  onReturned(): void {
    const { keyboard, screen, asking, style, isRunning } = this.#context;
    if (asking.isOpen && !asking.waitsForPause) return keyboard.prompt();
    if (this.#deliver !== undefined) this.#showPrompt();
    else if (keyboard.draft !== "" && (isRunning() || asking.waitsForPause)) {
      screen.hold();
      keyboard.prompt(style.marks.busyPrompt);
    }
    if (keyboard.draft === "") this.onEmptied();
  }

  /** Repaints the prompt, which shows the permission mode. */
  showMode(): void {
    if (this.isReady) this.#showPrompt();
  }

  #showPrompt(): void {
    const { keyboard, engine, style } = this.#context;
    keyboard.prompt(promptWithMode(engine(), style));
  }
}
