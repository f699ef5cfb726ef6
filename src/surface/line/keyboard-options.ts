/** What the terminal's input side is given, and what it tells. */
import type { Editor } from "./editor.ts";
import type { Draft } from "./history.ts";
import type { JobControl, TerminalInput } from "./lent-terminal.ts";
import type { Style } from "../show/style.ts";
import type { Below, Terminal } from "./prompt-area.ts";
import type { TerminalKind, TerminalModes } from "./terminal-modes.ts";

export interface KeyboardHandlers {
  /** A whole prompt or answer, without the line end that sent it. */
  line(text: string): void;
  interrupt(): void;
  /** Esc alone. Answers whether it had an effect. */
  escape(): boolean;
  /** Ctrl+D, or the terminal is gone. */
  closed(): void;
  /** Keys have come. */
  pressed(): void;
  /** Tab at the prompt. Whether there is something to complete: `offer` is told what it may become. */
  complete(draft: Draft): boolean;
  /** What stands at the prompt behind keys; undefined where Esc was one. `isTyped`: they typed or took away there. Whether `offer` is told then what it may become. */
  suggest(draft: Draft | undefined, isTyped: boolean): boolean;
  /** A paste stands before the cursor of the prompt. */
  pasted(text: string, editor: Editor): void;
  /** The clipboard's picture is to come to the prompt. */
  picture(editor: Editor): void;
  /** Shift+Tab at the prompt. */
  cycle(): void;
  /** Whether Enter sends the prompt. */
  maySend(): boolean;
  /** Something is typed, and no prompt is shown. */
  typing(): void;
  /** Nothing is typed any more, and nothing was sent. */
  emptied(): void;
  /** The shell has had the terminal, and has written where the cursor was. */
  continued(): void;
  /** What is typed is to be edited elsewhere. */
  edit(): void;
  /** What was said and done is to be shown whole. */
  transcript(): void;
  /** Another program gets the terminal: what is written waits. */
  lends(): void;
  /** It is back, and nothing stands on its last line. */
  returned(): void;
}

/** Tells when its size changes. */
export interface TerminalOutput extends Terminal {
  write(text: string): boolean;
  on(event: "resize", listener: () => void): unknown;
  off(event: "resize", listener: () => void): unknown;
}

/** Answers what ends it. */
export function onResize(output: TerminalOutput, listener: () => void): () => void {
  output.on("resize", listener);
  return () => void output.off("resize", listener);
}

export interface VimWishes {
  /** What ends the insert mode besides Esc. */
  escapes: readonly string[];
  /** Whether the mode is told elsewhere. */
  isHidden: () => boolean;
  /** The mode is another. */
  changed?: (isNormal: boolean) => void;
}

export interface KeyboardOptions {
  input: TerminalInput;
  output: TerminalOutput;
  kind: TerminalKind;
  style: Style;
  modes: TerminalModes;
  /** Milliseconds, from any beginning. */
  now: () => number;
  /** Calls back after so many milliseconds, and not before what was typed meanwhile is read; returns the way not to. */
  after: (milliseconds: number, then: () => void) => () => void;
  job?: JobControl | undefined;
  /** What was typed in other sessions, the oldest first. */
  earlier?: (() => readonly string[]) | undefined;
  /** Vim's keys are wanted. */
  vim?: VimWishes | undefined;
  /** What stands below the prompt where nothing else does. */
  below?: Below;
}
