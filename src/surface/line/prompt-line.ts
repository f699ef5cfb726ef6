/** The terminal's last line: whether the prompt stands there, and who is told what is sent at it. */
import type { Engine } from "../engine-port.ts";
import type { Style } from "../show/style.ts";
import type { Asking } from "./asking.ts";
import type { Keyboard } from "./keyboard.ts";
import { news } from "./late-news.ts";
import { promptIn } from "./mode.ts";
import type { Screen } from "./screen.ts";

/** Undefined: nobody types any more. */
export type NextLine = string | typeof news | undefined;

interface Around {
  keyboard: Keyboard;
  screen: Screen;
  asking: Asking;
  style: Style;
  /** An answer comes. */
  isRunning: () => boolean;
  engine: () => Engine | undefined;
  /** It stands there anew. */
  waits: (engine: Engine) => void;
  /** Nothing is typed at it. */
  isEmpty: (engine: Engine) => void;
}

export class PromptLine {
  readonly #around: Around;
  #deliver: ((line: NextLine) => void) | undefined;

  constructor(around: Around) {
    this.#around = around;
  }

  /** The prompt stands there, and no question in its place. */
  get isReady(): boolean {
    return this.#deliver !== undefined && !this.#around.asking.isOn;
  }

  next(engine: Engine): Promise<NextLine> {
    return new Promise((resolve) => {
      this.#deliver = (line) => {
        this.#deliver = undefined;
        resolve(line);
      };
      this.#ready();
      this.#around.waits(engine);
      this.#around.isEmpty(engine);
    });
  }

  /** Whether somebody waited for it. */
  deliver(line: NextLine): boolean {
    const deliver = this.#deliver;
    deliver?.(line);
    return deliver !== undefined;
  }

  /** What a person has begun to type, here or in an editor, is not taken away: it is told with that. */
  news(): boolean {
    const { keyboard, screen, asking, style } = this.#around;
    if (this.#deliver === undefined || keyboard.draft !== "" || keyboard.isLent) return false;
    if (!asking.isOn) keyboard.wipe();
    screen.line(style.dim("(what runs in the background has reported)"));
    this.#deliver(news);
    return true;
  }

  /** A question is over, which was in the prompt's place. */
  answered(): void {
    const { keyboard, screen, style } = this.#around;
    if (this.#deliver === undefined && keyboard.draft !== "") return keyboard.prompt(style.marks.busyPrompt);
    keyboard.wipe();
    screen.release();
    if (this.#deliver !== undefined) this.#ready();
  }

  /** Something is typed, and no prompt is shown. */
  typing(): void {
    const { keyboard, screen, asking, style, isRunning } = this.#around;
    const { busyPrompt } = style.marks;
    if (asking.isWaiting) return this.#deliver === undefined ? keyboard.prompt(busyPrompt) : this.#ready();
    if (!isRunning() || screen.isHeld) return;
    screen.hold();
    keyboard.prompt(busyPrompt);
  }

  /** Nothing is typed any more, and nothing was sent. */
  emptied(): void {
    const { keyboard, screen, asking, isRunning, engine } = this.#around;
    const spoken = engine();
    if (this.#deliver !== undefined && spoken !== undefined) this.#around.isEmpty(spoken);
    if (!isRunning() || asking.isOn || !screen.isHeld) return;
    keyboard.wipe();
    screen.release();
  }

  /** Another program has had the terminal; the prompt may be another, and is not shown. */
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

  /** The permission mode is another, which the prompt tells. */
  showMode(): void {
    if (this.isReady) this.#ready();
  }

  #ready(): void {
    const { keyboard, engine, style } = this.#around;
    keyboard.prompt(promptIn(engine(), style));
  }
}
