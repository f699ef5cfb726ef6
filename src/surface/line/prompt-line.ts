/** The terminal's last line: shows the prompt there, and delivers the lines sent from it. */
import type { Engine } from "../engine-port.ts";
import type { Style } from "../show/style.ts";
import type { Asking } from "./asking.ts";
import type { Keyboard } from "./keyboard.ts";
import { news } from "./late-news.ts";
import { promptIn } from "./mode.ts";
import type { Screen } from "./screen.ts";

/** A typed line, background news, or undefined if the person has left. */
export type NextLine = string | typeof news | undefined;

interface Around {
  keyboard: Keyboard;
  screen: Screen;
  asking: Asking;
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
  readonly #around: Around;
  #deliver: ((line: NextLine) => void) | undefined;

  constructor(around: Around) {
    this.#around = around;
  }

  /** True if the prompt is shown and no question is in its place. */
  get isReady(): boolean {
    return this.#deliver !== undefined && !this.#around.asking.isOn;
  }

  next(engine: Engine): Promise<NextLine> {
    return new Promise((resolve) => {
      this.#deliver = (line) => {
        this.#deliver = undefined;
        resolve(line);
      };
      this.#around.screen.gap();
      this.#ready();
      this.#around.waits(engine);
      this.#around.isEmpty(engine);
    });
  }

  /** Returns whether a caller of `next` waited for the line. */
  deliver(line: NextLine): boolean {
    const deliver = this.#deliver;
    deliver?.(line);
    return deliver !== undefined;
  }

  /** Delivers background news if nothing is being typed, here or in an editor. A typed prompt reports the news itself. */
  news(): boolean {
    const { keyboard, screen, asking, style } = this.#around;
    if (this.#deliver === undefined || keyboard.draft !== "" || keyboard.isLent) return false;
    if (!asking.isOn) keyboard.wipe();
    screen.line(style.dim("(background work has reported)"));
    this.#deliver(news);
    return true;
  }

  /** Shows the prompt again after a question in its place. */
  answered(): void {
    const { keyboard, screen, style } = this.#around;
    if (this.#deliver === undefined && keyboard.draft !== "") return keyboard.prompt(style.marks.busyPrompt);
    keyboard.wipe();
    screen.release();
    if (this.#deliver !== undefined) this.#ready();
  }

  /** Text is typed while no prompt is shown. */
  typing(): void {
    const { keyboard, screen, asking, style, isRunning } = this.#around;
    const { busyPrompt } = style.marks;
    if (asking.isWaiting) return this.#deliver === undefined ? keyboard.prompt(busyPrompt) : this.#ready();
    if (!isRunning() || screen.isHeld) return;
    screen.hold();
    keyboard.prompt(busyPrompt);
  }

  /** The typed text was deleted and not sent. */
  emptied(): void {
    const { keyboard, screen, asking, isRunning, engine } = this.#around;
    const spoken = engine();
    if (this.#deliver !== undefined && spoken !== undefined) this.#around.isEmpty(spoken);
    if (!isRunning() || asking.isOn || !screen.isHeld) return;
    keyboard.wipe();
    screen.release();
  }

  /** Shows the prompt after another program had the terminal. Its text may have changed. */
  returned(): void {
    const { keyboard, screen, asking, style, isRunning } = this.#around;
    if (asking.isOn && !asking.isWaiting) return keyboard.prompt();
    if (this.#deliver !== undefined) this.#ready();
    else if (keyboard.draft !== "" && (isRunning() || asking.isWaiting)) {
      screen.hold();
      keyboard.prompt(style.marks.busyPrompt);
    }
    if (keyboard.draft === "") this.emptied();
  }

  /** Repaints the prompt, which shows the permission mode. */
  showMode(): void {
    if (this.isReady) this.#ready();
  }

  #ready(): void {
    const { keyboard, engine, style } = this.#around;
    keyboard.prompt(promptIn(engine(), style));
  }
}
