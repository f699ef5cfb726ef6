/**
 * The terminal's input side: readline keeps the line and its history, a paste is one prompt, and the prompt is painted
 * once for all that came together.
 */
// Of the two the one that edits lines whatever TERM says: what is painted is decided here.
import { createInterface, type Interface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";
import { PasteFilter, pasteOff, pasteOn, restorePaste, type RawModeSource } from "./paste.ts";
import { PromptArea, type Terminal } from "./prompt-area.ts";

export const readyPrompt = "> ";

export interface KeyboardHandlers {
  /** A whole line or paste, without its line end. */
  line(text: string): void;
  interrupt(): void;
  /** Ctrl+D, or the terminal is gone. */
  closed(): void;
  /** Something is typed, and no prompt is shown. */
  typing(): void;
  /** Nothing is typed any more, and nothing was sent. */
  emptied(): void;
  /** What is typed answers a question, and is no prompt to come back to. */
  isAnswer(): boolean;
}

/** The shell's job control. */
export interface JobControl {
  /** Returns once the process goes on. */
  suspend(): void;
  /** Whoever stopped the process. Returns the way to hear no more of it. */
  onContinue(listener: () => void): () => void;
  /** A stopped process is not told that its terminal has another size: has it read anew. */
  readSize(): void;
}

export interface KeyboardOptions {
  input: Readable & RawModeSource;
  output: Writable & Terminal;
  isDumb: boolean;
  job?: JobControl | undefined;
}

export class Keyboard {
  readonly #readline: Interface;
  readonly #options: KeyboardOptions;
  readonly #handlers: KeyboardHandlers;
  readonly #area: PromptArea;
  readonly #unlisten: (() => void)[] = [];
  #prompt = readyPrompt;
  #isClosed = false;

  constructor(options: KeyboardOptions, handlers: KeyboardHandlers) {
    const { input, output, isDumb, job } = options;
    this.#options = options;
    this.#handlers = handlers;
    this.#area = new PromptArea(output, isDumb);
    const filter = new PasteFilter(input);
    // Without an output of its own: it cannot tell rows that it did not paint, nor who else writes.
    this.#readline = createInterface({
      input: filter,
      terminal: true,
      historySize: 500,
      removeHistoryDuplicates: true,
    });
    this.#readline.on("line", (text) => this.#onLine(text));
    this.#readline.on("history", (history: string[]) => {
      if (handlers.isAnswer()) history.shift();
    });
    this.#readline.on("SIGINT", () => handlers.interrupt());
    this.#readline.on("SIGTSTP", () => this.#suspend());
    this.#readline.on("close", () => {
      this.#isClosed = true;
      handlers.closed();
    });
    filter.on("keypress", (_text: unknown, key: { name?: string; ctrl?: boolean } | undefined) => {
      if (key?.ctrl === true && key.name === "l") this.#area.clearScreen();
    });
    // After readline's own listener: the line is as the keys left it.
    filter.on("data", () => this.#onKeys());
    input.on("end", () => this.#readline.close());
    // A terminal that was closed refuses even to be given back as it was: that comes while readline closes, too.
    input.on("error", () => queueMicrotask(() => this.#readline.close()));
    this.#listen(output, "resize", () => this.#area.resized());
    if (job !== undefined) this.#unlisten.push(job.onContinue(() => this.#continued()));
    input.pipe(filter);
    this.#ask(pasteOn);
  }

  get text(): string {
    return this.#readline.line;
  }

  prompt(text: string): void {
    if (this.#isClosed) return;
    this.#prompt = text;
    this.#paint();
  }

  /** Takes the typed text off the line and answers it. */
  takeText(): string {
    const { line } = this.#readline;
    if (line === "" || this.#isClosed) return line;
    Object.assign(this.#readline, { line: "", cursor: 0 });
    if (this.#area.isShown) this.#paint();
    return line;
  }

  putText(text: string): void {
    if (text === "" || this.#isClosed) return;
    this.#readline.write(text);
    if (this.#area.isShown) this.#paint();
  }

  /** Takes the prompt off the screen. */
  wipe(): void {
    this.#area.wipe();
  }

  /** Leaves the prompt where it is; what comes next stands below it. */
  leaveRow(): void {
    if (this.#area.isShown) this.#area.end(this.#prompt, this.text);
  }

  /** Writes what has nothing to do with the prompt: above it, where it is shown. */
  write(text: string): void {
    const isShown = this.#area.isShown && text.endsWith("\n");
    if (isShown) this.#area.wipe();
    this.#options.output.write(text);
    if (isShown) this.#paint();
  }

  /** Stops reading and leaves the terminal as it was. */
  close(): void {
    this.leaveRow();
    if (!this.#isClosed) this.#readline.close();
    for (const unlisten of this.#unlisten.splice(0)) unlisten();
    const { input } = this.#options;
    input.unpipe();
    input.pause();
    this.#ask(pasteOff);
  }

  #listen(source: Writable, event: string, listener: () => void): void {
    source.on(event, listener);
    this.#unlisten.push(() => source.off(event, listener));
  }

  #onLine(text: string): void {
    if (!this.#area.isShown && text !== "") this.#handlers.typing();
    if (this.#area.isShown || text !== "") this.#area.end(this.#prompt, text);
    this.#handlers.line(restorePaste(text));
  }

  #onKeys(): void {
    if (this.#isClosed) return;
    if (this.text === "") this.#handlers.emptied();
    else if (!this.#area.isShown) this.#handlers.typing();
    if (this.#area.isShown) this.#paint();
  }

  #paint(): void {
    const { line: text, cursor } = this.#readline;
    this.#area.paint({ prompt: this.#prompt, text, cursor });
  }

  #ask(sequence: string): void {
    if (!this.#options.isDumb) this.#options.output.write(sequence);
  }

  #suspend(): void {
    const { input, job } = this.#options;
    if (job === undefined) return;
    this.#ask(pasteOff);
    input.setRawMode?.(false);
    job.suspend();
    this.#restore();
  }

  /** The shell has written where the prompt was. */
  #continued(): void {
    const { isShown } = this.#area;
    this.#area.forget();
    this.#restore();
    this.#options.job?.readSize();
    if (isShown) this.#paint();
  }

  /** The shell has had the terminal: raw mode is asked for anew, since it was on as far as Node knows. */
  #restore(): void {
    const { input } = this.#options;
    if (this.#isClosed) return;
    input.setRawMode?.(false);
    input.setRawMode?.(true);
    this.#ask(pasteOn);
  }
}
