/**
 * Questions to a person, one at a time, in the prompt's place. When one comes somebody may be typing for the prompt, and what
 * was typed before it was seen must not answer it: until no key has come for a moment, keys go where they went before.
 */
import type { Keyboard } from "./keyboard.ts";
import type { Screen } from "./screen.ts";

/** Milliseconds without a key, from when the question is on the screen. */
const pause = 600;
/** Milliseconds after its last key in which a prompt is still being typed. */
const typing = 1_500;
/** Milliseconds in which an answer that permits more than its call settles others that wait. */
const settling = 50;
const unread = "  (that is no answer)";

export interface AskingOptions {
  screen: Screen;
  keyboard: Keyboard;
  /** Milliseconds, from any beginning. */
  now: () => number;
  /** Calls back after so many milliseconds; returns the way not to. */
  after: (milliseconds: number, then: () => void) => () => void;
  /** The prompt is free again. */
  answered: () => void;
}

export interface Asked<T> {
  lines: readonly string[];
  prompt: string;
  /** Undefined for what is no answer. */
  read: (text: string) => T | undefined;
  /** Lines that what is no answer asks for, where it is not only told that it is none: the question stands below them. */
  more?: (text: string) => readonly string[];
  /** The answer that Shift+Tab gives, and what then stands as answered. */
  shiftTab?: { answer: T; said: string };
  /** The person expects it: it follows from the answer before. */
  isExpected?: boolean;
  /** Asked by the model, or for a list: who declines by Ctrl+C leaves no more than that; of the model's, the turn ends, and it is told. */
  isModels?: boolean;
  /** A server's: it does not end with the turn by itself. */
  isServers?: boolean;
  /** A line for it where it is taken back and nobody has answered. */
  takenBack?: () => string | undefined;
}

interface Current {
  typed: (text: string) => void;
  withdraw: () => void;
  open: () => void;
  shiftTab: () => void;
  /** While it waits for a pause. */
  stopWaiting: (() => void) | undefined;
  /** A prompt was being typed when the question came. */
  isTyping: boolean;
  isModels: boolean;
  isServers: boolean;
}

export class Asking {
  readonly #options: AskingOptions;
  #current: Current | undefined;
  /** When a key came last, since the last question. */
  #typedAt: number | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: AskingOptions) {
    this.#options = options;
  }

  get isOn(): boolean {
    return this.#current !== undefined;
  }

  /** A question is on the screen, and keys still go to the prompt. */
  get isWaiting(): boolean {
    return this.#current?.stopWaiting !== undefined;
  }

  /** In the order they come. `settles`: the answer may be one to others, too, which are not shown then. */
  inTurn<T>(ask: () => Promise<T>, settles: (answer: T) => boolean = () => false): Promise<T> {
    const answered = this.#last.then(ask);
    const settled = (answer: T) =>
      settles(answer) ? new Promise<void>((resolve) => this.#options.after(settling, resolve)) : undefined;
    // One that could not be put is told to who asked it, and is none to those that come after it.
    this.#last = answered.then(settled, () => undefined);
    return answered;
  }

  /** Undefined where it is withdrawn. */
  put<T>(question: Asked<T>, signal: AbortSignal): Promise<T | undefined> {
    const { lines, prompt, read, more, isExpected = false, isModels = false, isServers = false, takenBack } = question;
    const { keyboard, screen } = this.#options;
    if (signal.aborted) return Promise.resolve(undefined);
    const wasShown = keyboard.isShown;
    if (wasShown) keyboard.wipe();
    screen.release();
    if (!isExpected) screen.gap();
    this.#show(lines);
    return new Promise((resolve) => {
      const finish = (answer: T | undefined): void => {
        signal.removeEventListener("abort", withdraw);
        this.#end();
        resolve(answer);
      };
      const withdraw = (): void => {
        if (!this.isWaiting) keyboard.leaveRow();
        const line = takenBack?.();
        if (line !== undefined) screen.now(line);
        finish(undefined);
      };
      const typed = (text: string): void => {
        const answer = read(text);
        if (answer !== undefined) return finish(answer);
        const none = text.trim() === "" ? [] : [unread];
        this.#show(more?.(text) ?? none);
        keyboard.beginAnswer(prompt);
      };
      signal.addEventListener("abort", withdraw);
      const open = (): void => keyboard.beginAnswer(prompt);
      const shiftTab = (): void => {
        if (question.shiftTab === undefined) return;
        keyboard.leaveRow(question.shiftTab.said);
        finish(question.shiftTab.answer);
      };
      const isTyping = this.#isTyping();
      const ends = { typed, withdraw: () => finish(undefined), open, shiftTab };
      this.#current = { ...ends, stopWaiting: undefined, isTyping, isModels, isServers };
      if (isExpected) return open();
      if (wasShown) keyboard.prompt();
      this.#wait(this.#current);
    });
  }

  #show(lines: readonly string[]): void {
    const { screen } = this.#options;
    screen.release();
    for (const line of lines) screen.line(line);
    screen.hold();
  }

  /** Whether the line was an answer. */
  line(text: string): boolean {
    if (this.#current === undefined) return false;
    if (this.isWaiting) {
      this.#current.isTyping = false;
      return false;
    }
    this.#current.typed(text);
    return true;
  }

  /** A key has come. */
  pressed(): void {
    if (this.#current === undefined) this.#typedAt = this.#options.now();
    else if (this.isWaiting) this.#wait(this.#current);
  }

  /** Enter behind what was only begun once the question was there may be meant for it: nothing is sent then. */
  maySend(): boolean {
    return this.#current === undefined || this.#current.isTyping;
  }

  withdraw(): void {
    this.#current?.withdraw();
  }

  /** Shift+Tab: whether a question is open, which may have an answer for it. */
  shiftTab(): boolean {
    if (this.#current === undefined || this.isWaiting) return false;
    this.#current.shiftTab();
    return true;
  }

  /** A key that means no: whether there was a question it could be meant for. */
  refuse(): boolean {
    return this.#refuse("Esc");
  }

  /** Ctrl+C where no turn runs: the same. */
  giveUp(): boolean {
    return this.#refuse("Ctrl+C");
  }

  /** Ctrl+C where one runs: whether it is the answer to a question of the model's, and ends the turn by that. */
  decline(): boolean {
    if (this.#current?.isServers === true && !this.giveUp()) this.withdraw();
    return this.#current?.isModels === true && this.giveUp();
  }

  #refuse(key: string): boolean {
    if (this.#current === undefined || this.isWaiting) return false;
    this.#options.keyboard.leaveRow(`${this.#current.isModels ? "declined" : "refused"} (${key})`);
    this.#current.withdraw();
    return true;
  }

  #isTyping(): boolean {
    const { keyboard, now } = this.#options;
    return this.#typedAt !== undefined && now() - this.#typedAt <= typing && keyboard.draft.trim() !== "";
  }

  #wait(current: Current): void {
    current.stopWaiting?.();
    current.stopWaiting = this.#options.after(pause, () => {
      // Nobody has seen it yet.
      if (this.#options.keyboard.isLent) return this.#wait(current);
      current.stopWaiting = undefined;
      current.open();
    });
  }

  #end(): void {
    this.#current?.stopWaiting?.();
    this.#current = undefined;
    this.#typedAt = undefined;
    this.#options.screen.typed();
    this.#options.keyboard.endAnswer();
    this.#options.answered();
  }
}
