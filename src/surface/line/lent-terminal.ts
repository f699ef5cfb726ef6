/** The terminal while a person types at it: every key comes as it is pressed. It is the shell's before, between and after. */
import type { Readable } from "node:stream";
import type { TerminalModes } from "./terminal-modes.ts";

/** Raw mode is the terminal's; a stream that is none has no such thing. */
export type TerminalInput = Readable & { setRawMode?(isRaw: boolean): unknown };

/** The shell's job control. */
export interface JobControl {
  /** Returns once the process goes on. */
  suspend(): void;
  /** Of the last time: settles once the listeners of `onContinue` were called, behind whatever else came while it was stopped. */
  readonly back?: Promise<void> | undefined;
  /** Whoever stopped the process. Returns the way to hear no more of it. */
  onContinue(listener: () => void): () => void;
  /** A stopped process is not told that its terminal has another size: has it read anew. */
  readSize(): void;
}

export class LentTerminal {
  readonly #input: TerminalInput;
  readonly #output: { write(text: string): unknown };
  readonly #modes: TerminalModes;
  #isAsked = false;
  #isRaw = false;

  constructor(input: TerminalInput, output: { write(text: string): unknown }, modes: TerminalModes) {
    this.#input = input;
    this.#output = output;
    this.#modes = modes;
  }

  take(): void {
    this.#setRaw(true);
    // Some of it is kept on a stack: asked for once, it is given back once.
    this.#write(this.#isAsked ? this.#modes.again : this.#modes.on);
    this.#isAsked = true;
  }

  /** The shell has had it: raw mode is asked for anew, since it was on as far as Node knows. */
  takeAgain(): void {
    this.#input.setRawMode?.(false);
    this.take();
  }

  giveBack(): void {
    if (this.#isAsked) this.#write(this.#modes.off);
    this.#isAsked = false;
    this.cook();
  }

  /** Its own line editing is on again. */
  cook(): void {
    if (this.#isRaw) this.#setRaw(false);
  }

  #setRaw(isRaw: boolean): void {
    this.#isRaw = isRaw;
    this.#input.setRawMode?.(isRaw);
  }

  /** Also where it says nothing: a row that only passes is gone then. */
  #write(text: string): void {
    this.#output.write(text);
  }
}
