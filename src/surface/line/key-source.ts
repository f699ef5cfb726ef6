/** Keys as a terminal's input brings them. What is open when it has come is told once it shows what it is. */
import type { KeyboardOptions } from "./keyboard-options.ts";
import { KeyReader, type Key } from "./keys.ts";

export interface KeyListener {
  keys(keys: readonly Key[]): void;
  /** Nothing more will come. */
  ended(): void;
}

export class KeySource {
  readonly #input: KeyboardOptions["input"];
  readonly #after: KeyboardOptions["after"];
  readonly #reader: KeyReader;
  readonly #listener: KeyListener;
  readonly #onData = (chunk: string | Buffer): void => this.#came(chunk);
  #stopWaiting = (): void => undefined;

  constructor(options: Pick<KeyboardOptions, "input" | "kind" | "vim" | "now" | "after">, listener: KeyListener) {
    const { input, kind, vim, now, after } = options;
    this.#input = input;
    this.#after = after;
    this.#reader = new KeyReader(now, { sendsLines: kind === "dumb", partsAlt: vim !== undefined });
    this.#listener = listener;
    input.on("data", this.#onData);
    input.on("end", () => listener.ended());
    // A terminal that was closed refuses even to be given back as it was: that comes while it is given back, too.
    input.on("error", () => queueMicrotask(() => listener.ended()));
    // Who has read before may have paused it.
    input.resume();
  }

  /** The Esc that was told last had an effect: what follows is no key with Alt. */
  tookEscape(): void {
    this.#reader.tookEscape();
  }

  /** Another program reads the keys, until `goOn`. */
  rest(): void {
    this.#stopWaiting();
    this.#input.pause();
  }

  goOn(): void {
    this.#input.resume();
  }

  close(): void {
    this.#stopWaiting();
    this.#input.off("data", this.#onData);
    this.#input.pause();
  }

  #came(chunk: string | Buffer): void {
    this.#stopWaiting();
    this.#listener.keys(this.#reader.push(chunk));
    const wait = this.#reader.isOpenFor;
    if (wait !== undefined) this.#stopWaiting = this.#after(wait, () => this.#listener.keys(this.#reader.endEscape()));
  }
}
