/** The terminal's output, which is kept back while another program has the terminal. */
import type { TerminalOutput } from "./keyboard-options.ts";
import { sizeOf } from "./screen.ts";

/** Returns the same terminal with another way to write to it. */
export function through(output: TerminalOutput, write: (text: string) => boolean): TerminalOutput {
  return {
    write,
    on: (event, listener) => output.on(event, listener),
    off: (event, listener) => output.off(event, listener),
    get columns() {
      return sizeOf(output).columns;
    },
    get rows() {
      return sizeOf(output).rows;
    },
  };
}

export class OutputGate {
  /** The output that all other code writes to. */
  readonly output: TerminalOutput;
  readonly #behind: TerminalOutput;
  #waiting: string[] | undefined;

  constructor(behind: TerminalOutput) {
    this.#behind = behind;
    this.output = through(behind, (text) => this.#write(text));
  }

  shut(): void {
    this.#waiting ??= [];
  }

  open(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const text of waiting) this.#behind.write(text);
  }

  #write(text: string): boolean {
    if (this.#waiting === undefined) return this.#behind.write(text);
    this.#waiting.push(text);
    return true;
  }
}
