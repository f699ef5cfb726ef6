/** Switches the terminal to raw mode while pawl reads keys, and restores it for the shell before, between and after. */
import type { Readable } from "node:stream";
import type { TerminalModes } from "./terminal-modes.ts";

/** Only terminals have a raw mode, not other streams. */
export type TerminalInput = Readable & { isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };

/** The shell's job control. */
export interface JobControl {
  /** Returns once the process continues. */
  suspend(): void;
  /** Settles once the `onContinue` listeners of the last suspension were called, after other events of that time. */
  readonly back?: Promise<void> | undefined;
  /** Calls the listener when the process continues after any kind of stop. Returns a function that removes the listener. */
  onContinue(listener: () => void): () => void;
  /** Reads the terminal's size again, because a stopped process gets no resize signal. */
  readSize(): void;
}

export class RawTerminal {
  readonly #input: TerminalInput;
  readonly #output: { write(text: string): unknown };
  readonly #modes: TerminalModes;
  #areModesSet = false;
  #isRaw = false;

  constructor(input: TerminalInput, output: { write(text: string): unknown }, modes: TerminalModes) {
    this.#input = input;
    this.#output = output;
    this.#modes = modes;
  }

  take(): void {
    this.#setRaw(true);
    // Some modes are kept on a stack in the terminal, so push them once and pop them once.
    this.#write(this.#areModesSet ? this.#modes.restore : this.#modes.on);
    this.#areModesSet = true;
  }

  /** Takes the terminal back from the shell. Raw mode is turned off first, because Node believes that it is still on. */
  takeAgain(): void {
    this.#input.setRawMode?.(false);
    this.take();
  }

  giveBack(): void {
    if (this.#areModesSet) this.#write(this.#modes.off);
    this.#areModesSet = false;
    this.leaveRawMode();
  }

  /** Turns the terminal's own line editing on again. */
  leaveRawMode(): void {
    if (this.#isRaw) this.#setRaw(false);
  }

  #setRaw(isRaw: boolean): void {
    this.#isRaw = isRaw;
    this.#input.setRawMode?.(isRaw);
  }

  /** Writes even empty text, because each write removes the temporary status row. */
  #write(text: string): void {
    this.#output.write(text);
  }
}
