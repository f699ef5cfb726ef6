/** The terminal's output, which is kept back while another program has the terminal. */
import type { TerminalOutput } from "./keyboard-options.ts";
import { sizeOf } from "./screen.ts";

/** Returns the same terminal with another way to write to it. */
export function redirectWrites(output: TerminalOutput, write: (text: string) => boolean): TerminalOutput {
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
  readonly #terminal: TerminalOutput;
  #waiting: string[] | undefined;

  constructor(terminal: TerminalOutput) {
    this.#terminal = terminal;
    this.output = redirectWrites(terminal, (text) => this.#write(text));
  }

  shut(): void {
    this.#waiting ??= [];
  }

  open(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const text of waiting) this.#terminal.write(text);
  }

  #write(text: string): boolean {
    if (this.#waiting === undefined) return this.#terminal.write(text);
    this.#waiting.push(text);
    return true;
  }
}
