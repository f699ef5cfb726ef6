/**
 * Questions to a person, one at a time, in place of the prompt. The person may be typing a prompt when a question appears, and text
 * typed before the question was seen must not answer it. So keys still go to the prompt until none has come for a moment.
 */
import { onAbort } from "../../lib/on-abort.ts";
import type { Keyboard } from "./keyboard.ts";
import type { Screen } from "./screen.ts";

/** Milliseconds without a key, from when the question is shown, before keys answer it. */
const answerDelayMs = 600;
/** Milliseconds after the last key during which a prompt counts as still being typed. */
const typingWindowMs = 1_500;
/** Milliseconds during which an answer that allows more than its call can settle other waiting questions. */
const settlingMs = 50;
/** Milliseconds that a question waits for a look at the file it is about, which may lie on a dead network. */
const lookUpLimitMs = 2_000;
const notAnAnswerText = "  (that is not an answer)";

export interface QuestionQueueOptions {
  screen: Screen;
  keyboard: Keyboard;
  /** Milliseconds since an arbitrary start. */
  now: () => number;
  /** Calls `then` after so many milliseconds; returns a function that cancels it. */
  after: (milliseconds: number, then: () => void) => () => void;
  /** Called when the prompt is free again. */
  answered: () => void;
}

export interface TerminalQuestion<T> {
  lines: readonly string[];
  prompt: string;
  /** Returns the answer, or undefined if the text is not one. */
  read: (text: string) => T | undefined;
  /** Returns lines to show for text that is not an answer, above the repeated question. By default it only says so. */
  linesForOtherText?: (text: string) => readonly string[];
  /** Returns the prompt of the repeated question, after its lines were made. By default it is the same. */
  promptAgain?: () => string;
  /** The answer that Shift+Tab gives, and the text shown as the answer. */
  shiftTab?: { answer: T; shownAnswer: string };
  /** The person expects the question because it follows from the previous answer. Keys answer it at once. */
  isExpected?: boolean;
  /** Asked by the model. Ctrl+C declines it and ends the turn. */
  isFromModel?: boolean;
  /** Asked for a list that the person has opened. */
  isForList?: boolean;
  /** Asked by an MCP server: the end of the turn does not end it by itself. */
  isFromServer?: boolean;
  /** Returns a line to show if the question is withdrawn without an answer. */
  withdrawnLine?: () => string | undefined;
}

interface CurrentQuestion {
  typed: (text: string) => void;
  withdraw: () => void;
  open: () => void;
  shiftTab: () => void;
  /** Set while the question waits for a pause in typing. */
  stopWaiting: (() => void) | undefined;
  /** A prompt was being typed when the question appeared. */
  isTyping: boolean;
  isFromModel: boolean;
  isFromServer: boolean;
  /** Shown in place of an answer, before the key that was pressed. */
  refusalWord: string;
}

export class QuestionQueue {
  readonly #options: QuestionQueueOptions;
  #current: CurrentQuestion | undefined;
  /** When the last key came, since the last question. */
  #typedAt: number | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: QuestionQueueOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#current !== undefined;
  }

  /** A question is on the screen, and keys still go to the prompt. */
  get waitsForPause(): boolean {
    return this.#current?.stopWaiting !== undefined;
  }

  /** Asks questions in the order they come. `settles` says whether an answer may also settle others, which are then not shown. */
  enqueue<T>(ask: () => Promise<T>, settles: (answer: T) => boolean = () => false): Promise<T> {
    const answered = this.#last.then(ask);
    const settled = (answer: T) =>
      settles(answer) ? new Promise<void>((resolve) => this.#options.after(settlingMs, resolve)) : undefined;
    // If a question fails, its caller gets the error, and the questions after it are still asked.
    this.#last = answered.then(settled, () => undefined);
    return answered;
  }

  /** Resolves to what is looked up for a question, or to undefined if that takes too long or the question is withdrawn first. */
  async lookUp<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    const { promise: tooLong, resolve: giveUp } = Promise.withResolvers<undefined>();
    const stopTimer = this.#options.after(lookUpLimitMs, () => giveUp(undefined));
    const stopListening = onAbort(signal, () => giveUp(undefined));
    try {
      return await Promise.race([work, tooLong]);
    } finally {
      stopTimer();
      stopListening();
    }
  }

  /** Shows the question. Resolves to the answer, or to undefined if the question is withdrawn. */
  ask<T>(question: TerminalQuestion<T>, signal: AbortSignal): Promise<T | undefined> {
    const {
      lines,
      prompt,
      read,
      linesForOtherText,
      isExpected = false,
      isFromModel = false,
      isForList = false,
      isFromServer = false,
      withdrawnLine,
    } = question;
    const { keyboard, screen } = this.#options;
    const isPermission = !(isFromModel || isForList || isFromServer);
    if (signal.aborted) return Promise.resolve(undefined);
    const wasShown = keyboard.isShown;
    if (wasShown) keyboard.wipe();
    screen.release();
    // A single line, such as a field of a form, continues the question above it.
    if (!isExpected || lines.length > 1) screen.gap();
    this.#show(lines);
    return new Promise((resolve) => {
      const finish = (answer: T | undefined): void => {
        signal.removeEventListener("abort", withdraw);
        this.#end();
        resolve(answer);
      };
      const withdraw = (): void => {
        if (!this.waitsForPause) keyboard.leaveRow();
        const line = withdrawnLine?.();
        if (line !== undefined) screen.lineAtOnce(line);
        finish(undefined);
      };
      const typed = (text: string): void => {
        const answer = read(text);
        if (answer !== undefined) return finish(answer);
        const none = text.trim() === "" ? [] : [notAnAnswerText];
        // Perhaps it was a prompt, typed without a look at the screen: the Up key brings it back.
        if (isPermission && /\S\s+\S/u.test(text)) keyboard.rememberAside(text);
        this.#show(linesForOtherText?.(text) ?? none);
        keyboard.beginAnswer(question.promptAgain?.() ?? prompt);
      };
      signal.addEventListener("abort", withdraw);
      const open = (): void => keyboard.beginAnswer(prompt);
      const shiftTab = (): void => {
        // A refusal with its reason may be half typed.
        if (question.shiftTab === undefined || keyboard.text.trim() !== "") return;
        keyboard.leaveRow(question.shiftTab.shownAnswer);
        finish(question.shiftTab.answer);
      };
      const isTyping = this.#isTyping();
      const ends = { typed, withdraw: () => finish(undefined), open, shiftTab };
      const refusalWord = isForList ? "cancelled" : isFromModel ? "declined" : "refused";
      this.#current = { ...ends, stopWaiting: undefined, isTyping, isFromModel, isFromServer, refusalWord };
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

  /** Returns whether the line was meant as an answer. */
  handleLine(text: string): boolean {
    if (this.#current === undefined) return false;
    if (this.waitsForPause) {
      this.#current.isTyping = false;
      return false;
    }
    this.#current.typed(text);
    return true;
  }

  /** Call this at each key. */
  onKey(): void {
    if (this.#current === undefined) this.#typedAt = this.#options.now();
    else if (this.waitsForPause) this.#wait(this.#current);
  }

  /** Returns whether Enter sends the prompt. If its typing began after the question appeared, Enter may be meant for the question. */
  maySend(): boolean {
    return this.#current === undefined || this.#current.isTyping;
  }

  withdraw(): void {
    this.#current?.withdraw();
  }

  /** Gives the answer of Shift+Tab, if the question has one. Returns false if no question accepts keys. */
  shiftTab(): boolean {
    if (this.#current === undefined || this.waitsForPause) return false;
    this.#current.shiftTab();
    return true;
  }

  /** Refuses the question by Esc. Returns false if there is no question that accepts keys. */
  refuse(): boolean {
    return this.#refuse("Esc");
  }

  /** The same by Ctrl+C while no turn runs. */
  giveUp(): boolean {
    return this.#refuse("Ctrl+C");
  }

  /** Ctrl+C while a turn runs. Returns whether it declined a question of the model, which ends the turn. */
  decline(): boolean {
    if (this.#current?.isFromServer === true && !this.giveUp()) this.withdraw();
    return this.#current?.isFromModel === true && this.giveUp();
  }

  #refuse(key: string): boolean {
    if (this.#current === undefined || this.waitsForPause) return false;
    this.#options.keyboard.leaveRow(`${this.#current.refusalWord} (${key})`);
    this.#current.withdraw();
    return true;
  }

  #isTyping(): boolean {
    const { keyboard, now } = this.#options;
    return this.#typedAt !== undefined && now() - this.#typedAt <= typingWindowMs && keyboard.draft.trim() !== "";
  }

  #wait(current: CurrentQuestion): void {
    current.stopWaiting?.();
    current.stopWaiting = this.#options.after(answerDelayMs, () => {
      // The terminal is lent, so nobody has seen the question yet.
      if (this.#options.keyboard.isLent) return this.#wait(current);
      current.stopWaiting = undefined;
      current.open();
    });
  }

  #end(): void {
    this.#current?.stopWaiting?.();
    this.#current = undefined;
    this.#typedAt = undefined;
    this.#options.screen.noteTypedRow();
    this.#options.keyboard.endAnswer();
    this.#options.answered();
  }
}
