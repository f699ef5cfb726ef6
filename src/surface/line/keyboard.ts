/** The terminal's input side: readline with history, a paste kept as one prompt, and a say in when typing shows. */
import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { PasteFilter, pasteOff, pasteOn, restorePaste, type RawModeSource } from "./paste.ts";

export interface KeyboardHandlers {
  /** A whole line or paste, without its line end. */
  line(text: string): void;
  interrupt(): void;
  /** Ctrl+D, or the terminal is gone. */
  closed(): void;
  /** A key is about to reach an empty line. */
  typing(): void;
  /** The line was emptied without being sent. */
  emptied(): void;
}

export class Keyboard {
  readonly #readline: Interface;
  readonly #input: Readable;
  readonly #output: Writable;
  #isClosed = false;

  constructor(input: Readable & RawModeSource, output: Writable, handlers: KeyboardHandlers) {
    this.#input = input;
    this.#output = output;
    const filter = new PasteFilter(input, () => {
      if (!this.#isClosed && this.#readline.line === "") handlers.typing();
    });
    this.#readline = createInterface({
      input: filter,
      output,
      terminal: true,
      historySize: 500,
      removeHistoryDuplicates: true,
    });
    this.#readline.on("line", (text) => handlers.line(restorePaste(text)));
    this.#readline.on("SIGINT", () => handlers.interrupt());
    this.#readline.on("close", () => {
      this.#isClosed = true;
      handlers.closed();
    });
    // Runs after readline's own listener: the line is as the key left it. Enter has its own event.
    filter.on("keypress", (_text: unknown, key: { name?: string } | undefined) => {
      if (key?.name !== "return" && key?.name !== "enter" && this.#readline.line === "") handlers.emptied();
    });
    input.on("end", () => this.#readline.close());
    input.pipe(filter);
    output.write(pasteOn);
  }

  get text(): string {
    return this.#readline.line;
  }

  prompt(text: string): void {
    if (this.#isClosed) return;
    this.#readline.setPrompt(text);
    this.#readline.prompt(true);
  }

  /** Takes the typed text off the line and answers it. */
  takeText(): string {
    const { line } = this.#readline;
    if (line !== "" && !this.#isClosed) {
      this.#readline.write(null, { ctrl: true, name: "e" });
      this.#readline.write(null, { ctrl: true, name: "u" });
    }
    return line;
  }

  putText(text: string): void {
    if (text !== "" && !this.#isClosed) this.#readline.write(text);
  }

  /** Wipes the prompt's row, where nothing is typed. */
  wipe(): void {
    this.#output.write("\r\x1b[K");
  }

  /** Stops reading and leaves the terminal as it was. */
  close(): void {
    if (!this.#isClosed) this.#readline.close();
    this.#input.unpipe();
    this.#input.pause();
    this.#output.write(pasteOff);
  }
}
