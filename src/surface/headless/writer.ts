/**
 * Standard output for a program at the other end: whole chunks, at most one write a tick, and a slow reader slows the run
 * down instead of filling memory.
 */
import type { Writable } from "node:stream";
import { settlesWithin, startTimer, type StartTimer } from "../deadline.ts";

const chunkLength = 65_536;

export class OutputWriter {
  readonly #stream: Writable;
  readonly #failed: (error: NodeJS.ErrnoException) => void;
  #pending = "";
  #isScheduled = false;
  #blocked: Promise<void> | undefined;
  #failure: NodeJS.ErrnoException | undefined;
  #unblock: (() => void) | undefined;

  /** `failed` is told once, when the reader has gone (EPIPE) or the disk is full; from then on text is dropped. */
  constructor(stream: Writable, failed: (error: NodeJS.ErrnoException) => void = () => undefined) {
    this.#stream = stream;
    this.#failed = failed;
    stream.on("error", (error) => this.#fail(error));
    stream.on("close", () => this.#unblock?.());
  }

  get failure(): NodeJS.ErrnoException | undefined {
    return this.#failure;
  }

  /** Set while the reader is behind: await it before making more. Never rejects. */
  get blocked(): Promise<void> | undefined {
    return this.#blocked;
  }

  /** Takes text now, and answers `blocked`. */
  push(text: string): Promise<void> | undefined {
    this.write(text);
    return this.#blocked;
  }

  write(text: string): void {
    if (this.#failure !== undefined) return;
    this.#pending += text;
    if (this.#pending.length >= chunkLength) this.#flush();
    else if (!this.#isScheduled) this.#schedule();
  }

  /** False when the reader has not taken everything within `milliseconds`. Never rejects. */
  finish(milliseconds: number, start: StartTimer = startTimer): Promise<boolean> {
    const drained = async (): Promise<void> => {
      while (this.#failure === undefined && (this.#pending !== "" || this.#blocked !== undefined)) {
        this.#flush();
        await this.#blocked;
      }
      if (this.#failure === undefined) await this.#emptied();
    };
    return settlesWithin(drained(), milliseconds, start);
  }

  #schedule(): void {
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#blocked !== undefined || this.#pending === "" || this.#failure !== undefined) return;
    const text = this.#pending;
    this.#pending = "";
    if (this.#stream.write(text)) return;
    this.#blocked = new Promise((resolve) => {
      this.#unblock = () => {
        this.#stream.off("drain", this.#unblock ?? resolve);
        this.#unblock = undefined;
        this.#blocked = undefined;
        resolve();
        if (this.#pending !== "") this.#schedule();
      };
      this.#stream.once("drain", this.#unblock);
    });
  }

  #emptied(): Promise<void> {
    if (this.#stream.writableLength === 0 || this.#stream.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#unblock = resolve;
      this.#stream.write("", () => resolve());
    });
  }

  #fail(error: NodeJS.ErrnoException): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#pending = "";
    this.#unblock?.();
    this.#failed(error);
  }
}
