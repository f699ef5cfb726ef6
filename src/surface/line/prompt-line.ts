/** The terminal's last line: shows the prompt there, and delivers the lines sent from it. */
import type { Engine } from "../engine-port.ts";
import type { Style } from "../show/style.ts";
import type { QuestionQueue } from "./question-queue.ts";
import type { Keyboard } from "./keyboard.ts";
import { backgroundNewsSignal } from "./background-news.ts";
import { promptWithMode } from "./mode-commands.ts";
import type { Screen } from "./screen.ts";

/** A typed line, background news, or undefined if the person has left. */
export type NextLine = string | typeof backgroundNewsSignal | undefined;

interface PromptLineContext {
  keyboard: Keyboard;
  screen: Screen;
  questionQueue: QuestionQueue;
  style: Style;
  /** Returns whether a turn runs. */
  isRunning: () => boolean;
  engine: () => Engine | undefined;
  /** Called when the prompt is shown again. */
  onShown: (engine: Engine) => void;
  /** Called when the prompt is empty. */
  onEmpty: (engine: Engine) => void;
  /** Called when the prompt has gone from the screen during a turn, because the typed text was deleted. */
  onWiped: () => void;
}

export class PromptLine {
  readonly #context: PromptLineContext;
  #deliver: ((line: NextLine) => void) | undefined;

  constructor(context: PromptLineContext) {
    this.#context = context;
  }

  /** True if the prompt is shown and no question is in its place. */
  get isReady(): boolean {
    return this.#deliver !== undefined && !this.#context.questionQueue.isOpen;
  }

  next(engine: Engine): Promise<NextLine> {
    return new Promise((resolve) => {
      this.#deliver = (line) => {
        this.#deliver = undefined;
        resolve(line);
      };
      this.#context.screen.gap();
      this.#showPrompt();
      this.#context.onShown(engine);
      this.#context.onEmpty(engine);
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
    const { keyboard, screen, questionQueue, style } = this.#context;
    if (this.#deliver === undefined || keyboard.draft !== "" || keyboard.isLent) return false;
    if (!questionQueue.isOpen) keyboard.wipe();
    screen.line(style.note("(background work has reported)"));
    this.#deliver(backgroundNewsSignal);
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
    const { keyboard, screen, questionQueue, style, isRunning } = this.#context;
    const { busyPrompt } = style.marks;
    if (questionQueue.waitsForPause)
      return this.#deliver === undefined ? keyboard.prompt(busyPrompt) : this.#showPrompt();
    if (!isRunning() || screen.isHeld) return;
    screen.hold();
    keyboard.prompt(busyPrompt);
  }

  /** The typed text was deleted and not sent. */
  onEmptied(): void {
    const { keyboard, screen, questionQueue, isRunning, engine } = this.#context;
    const activeEngine = engine();
    if (this.#deliver !== undefined && activeEngine !== undefined) this.#context.onEmpty(activeEngine);
    if (!isRunning() || questionQueue.isOpen || !screen.isHeld) return;
    keyboard.wipe();
    screen.release();
    this.#context.onWiped();
  }

  /** Shows the prompt after another program had the terminal. Its text may have changed. */
  onReturned(): void {
    const { keyboard, screen, questionQueue, style, isRunning } = this.#context;
    if (questionQueue.isOpen && !questionQueue.waitsForPause) return keyboard.prompt();
    if (this.#deliver !== undefined) this.#showPrompt();
    else if (keyboard.draft !== "" && (isRunning() || questionQueue.waitsForPause)) {
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
