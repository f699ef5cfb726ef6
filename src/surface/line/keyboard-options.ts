/** Options and callbacks of the terminal's input side. */
import type { Editor } from "./editor.ts";
import type { Draft } from "./history.ts";
import type { AnswerTaker } from "./keys.ts";
import type { JobControl, TerminalInput } from "./raw-terminal.ts";
import type { Style } from "../show/style.ts";
import type { LinesBelow, Terminal } from "./prompt-area.ts";
import type { TerminalKind, TerminalModes } from "./terminal-modes.ts";
import type { TakenBack } from "./typed-ahead.ts";

export interface KeyboardHandlers {
  /** A whole prompt or answer, without the line end that sent it. */
  line(text: string): void;
  interrupt(): void;
  /** Esc alone. Returns whether it had an effect. */
  escape(): boolean;
  /** Ctrl+D was pressed or the terminal is gone. */
  closed(): void;
  /** Called at each key. */
  pressed(): void;
  /** Tab at the prompt. Returns whether there is something to complete, in which case `offer` gets the candidates. */
  complete(draft: Draft): boolean;
  /**
   * Called after keys with the prompt, or with undefined after Esc. `isTyped`: the keys typed or deleted text. Returns whether
   * `offer` will get candidates.
   */
  suggest(draft: Draft | undefined, isTyped: boolean): boolean;
  /** Text was pasted before the prompt's cursor. */
  pasted(text: string, editor: Editor): void;
  /** The clipboard's picture is to be added to the prompt. */
  picture(editor: Editor): void;
  /** Up in the first line of the prompt, which holds `draft`. The newest line that waits for the running turn does not wait any more. */
  takeBack(draft: string): TakenBack;
  /** Shift+Tab at the prompt. */
  cycleMode(): void;
  /** Returns whether Enter sends the prompt. */
  maySend(): boolean;
  /** Text is typed while no prompt is shown. */
  typing(): void;
  /** The typed text was deleted and not sent. */
  emptied(): void;
  /** The shell had the terminal and has written at the cursor. */
  continued(): void;
  /** The prompt is to be edited in an editor. */
  edit(): void;
  /** The whole conversation is to be shown. */
  transcript(): void;
  /** Another program gets the terminal, and output waits. */
  beforeLend(): void;
  /** The terminal is back, and its last line is empty. */
  afterLend(): void;
}

/** A terminal that emits an event when its size changes. */
export interface TerminalOutput extends Terminal {
  write(text: string): boolean;
  on(event: "resize", listener: () => void): unknown;
  off(event: "resize", listener: () => void): unknown;
}

/** Returns a function that removes the listener. */
export function onResize(output: TerminalOutput, listener: () => void): () => void {
  output.on("resize", listener);
  return () => void output.off("resize", listener);
}

export type VimMode = "INSERT" | "NORMAL" | "VISUAL" | "VISUAL LINE";

export interface VimSettings {
  /** Key sequences that end the insert mode like Esc. */
  escapes: readonly string[];
  /** Returns whether the mode is shown elsewhere. */
  isHidden: () => boolean;
  /** Called when the mode changes. */
  onModeChange?: (mode: VimMode) => void;
}

/** Answers of the terminal to pawl's own questions. While one `isDue`, nobody else gets the terminal: it would be taken for keys. */
export interface TerminalAnswers extends AnswerTaker {
  /** Asks. Answers come while keys are read. */
  ask(): void;
  /** The terminal will not answer any more. */
  giveUp(): void;
  /** Calls `then` once none is due, which takes at most 0.3 seconds; only once if the same `then` waits already. */
  whenOver(then: () => void): void;
  /** Settles then. */
  over(): Promise<void>;
}

export interface KeyboardOptions {
  input: TerminalInput;
  output: TerminalOutput;
  kind: TerminalKind;
  style: Style;
  modes: TerminalModes;
  /** Milliseconds since an arbitrary start. */
  now: () => number;
  /** Calls `then` after so many milliseconds, once keys typed until then are read; returns a function that cancels it. */
  after: (milliseconds: number, then: () => void) => () => void;
  job?: JobControl | undefined;
  /** Returns prompts typed in other sessions, the oldest first. */
  earlier?: (() => readonly string[]) | undefined;
  /** Set if Vim's keys are wanted. */
  vim?: VimSettings | undefined;
  answers: TerminalAnswers;
  /** What is shown below the prompt if nothing else is. */
  below?: LinesBelow;
}
