/**
 * Standard output for a program that reads it: text is written in large chunks, at most once per tick, and a slow reader slows
 * the run down instead of filling memory.
 */
import type { Writable } from "node:stream";
import { escapeControls } from "../../lib/json-line.ts";
import { settlesWithin, startTimer, type StartTimer } from "../deadline.ts";

const chunkLength = 65_536;

type Output = Writable & { isTTY?: boolean };

export class OutputWriter {
  readonly #stream: Output;
  readonly #onFailure: (error: NodeJS.ErrnoException) => void;
  #pending = "";
  #isScheduled = false;
  /** The stream's buffer is full: nothing more is written before it drains. */
  #isFull = false;
  #hasStoppedWaiting = false;
  /** Writes that the stream has not confirmed yet. */
  #unconfirmedWrites = 0;
  #failure: NodeJS.ErrnoException | undefined;
  #drain: PromiseWithResolvers<void> | undefined;

  /** `onFailure` is called once, when the reader is gone (EPIPE) or the disk is full. From then on text is dropped. */
  constructor(stream: Output, onFailure: (error: NodeJS.ErrnoException) => void = () => undefined) {
    this.#stream = stream;
    this.#onFailure = onFailure;
    stream.on("drain", () => this.#onDrain());
    stream.on("error", (error) => this.#fail(error));
  }

  get failure(): NodeJS.ErrnoException | undefined {
    return this.#failure;
  }

  /** The number of characters not handed to the stream yet. */
  get backlog(): number {
    return this.#pending.length;
  }

  /** Set while the reader is behind: await it before producing more. Never rejects. */
  get blocked(): Promise<void> | undefined {
    if (!this.#isFull || this.#hasStoppedWaiting || this.#failure !== undefined) return undefined;
    return this.#nextDrain();
  }

  /** Takes the text at once and returns `blocked`. */
  push(text: string): Promise<void> | undefined {
    this.write(text);
    return this.blocked;
  }

  write(text: string): void {
    if (this.#failure !== undefined) return;
    this.#pending += text;
    if (this.#pending.length >= chunkLength) this.#flush();
    else if (!this.#isScheduled) this.#schedule();
  }

  /** Stops waiting for the reader, because the run was told to stop. Later text is kept for `finish`. */
  stopWaiting(): void {
    this.#hasStoppedWaiting = true;
    this.#release();
  }

  /** Returns false if the reader has not read everything within `milliseconds`. Never rejects. */
  finish(milliseconds: number, start: StartTimer = startTimer): Promise<boolean> {
    return settlesWithin(this.#waitUntilEmpty(), milliseconds, start);
  }

  async #waitUntilEmpty(): Promise<void> {
    for (;;) {
      this.#flush();
      if (this.#failure !== undefined || (this.#pending === "" && this.#unconfirmedWrites === 0)) return;
      await this.#nextDrain();
    }
  }

  #nextDrain(): Promise<void> {
    this.#drain ??= Promise.withResolvers();
    return this.#drain.promise;
  }

  #release(): void {
    this.#drain?.resolve();
    this.#drain = undefined;
  }

  #schedule(): void {
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#isFull || this.#pending === "" || this.#failure !== undefined) return;
    const text = this.#stream.isTTY === true ? escapeControls(this.#pending) : this.#pending;
    this.#pending = "";
    this.#unconfirmedWrites += 1;
    this.#isFull = !this.#stream.write(text, this.#onWritten);
  }

  /** Handles errors here because the stream's error event may come after the end of the run. */
  readonly #onWritten = (error?: Error | null): void => {
    this.#unconfirmedWrites -= 1;
    if (error) this.#fail(error);
    else if (this.#unconfirmedWrites === 0) this.#release();
  };

  #onDrain(): void {
    this.#isFull = false;
    this.#release();
    if (this.#pending !== "") this.#schedule();
  }

  #fail(error: NodeJS.ErrnoException): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#pending = "";
    this.#release();
    this.#onFailure(error);
  }
}
