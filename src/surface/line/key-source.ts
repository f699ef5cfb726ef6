/** Reads keys from a terminal's input. An incomplete sequence is reported once it is clear what it is. */
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
  readonly #onData = (chunk: string | Buffer): void => this.#onInput(chunk);
  #stopWaiting = (): void => undefined;

  constructor(
    options: Pick<KeyboardOptions, "input" | "kind" | "vim" | "now" | "after" | "answers">,
    listener: KeyListener,
  ) {
    const { input, kind, vim, now, after, answers } = options;
    this.#input = input;
    this.#after = after;
    this.#reader = new KeyReader(now, { sendsLines: kind === "dumb", partsAlt: vim !== undefined, answers });
    this.#listener = listener;
    input.on("data", this.#onData);
    input.on("end", () => listener.ended());
    // Restoring a closed terminal fails, too, so this error can come while it is being restored.
    input.on("error", () => queueMicrotask(() => listener.ended()));
    // An earlier reader may have paused the input.
    input.resume();
  }

  /** The last Esc had an effect, so the next key is not a key with Alt. */
  noteEscapeUsed(): void {
    this.#reader.noteEscapeUsed();
  }

  /** Stops reading until `resume`, because another program reads the keys. */
  pause(): void {
    this.#stopWaiting();
    this.#input.pause();
  }

  resume(): void {
    this.#input.resume();
  }

  close(): void {
    this.#stopWaiting();
    this.#input.off("data", this.#onData);
    this.#input.pause();
  }

  #onInput(chunk: string | Buffer): void {
    this.#stopWaiting();
    this.#listener.keys(this.#reader.push(chunk));
    const wait = this.#reader.waitMs;
    if (wait !== undefined) this.#stopWaiting = this.#after(wait, () => this.#listener.keys(this.#reader.endEscape()));
  }
}
