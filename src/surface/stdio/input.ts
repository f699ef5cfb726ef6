/** Reads standard input as frames and hands each on as soon as its line is complete. While paused, the sender waits. */
import type { Readable } from "node:stream";
import { parseFrame, skippedFrame, type Frame } from "./frame.ts";
import { LineSplitter, type SplitLine } from "./line-splitter.ts";

/** In bytes: the API's own limit on a request. A longer message could not be sent. */
const maxLineBytes = 32 * 1024 * 1024;

export interface InputHandlers {
  /** `size` in characters; `line` counts from 1. */
  frame(frame: Frame, about: { size: number; line: number }): void;
  /** Called once, when nothing more will come. */
  ended(): void;
  notice(text: string): void;
}

export class ClientInput {
  readonly #stdin: Readable;
  readonly #handlers: InputHandlers;
  readonly #lines = new LineSplitter(maxLineBytes);
  #lineNumber = 0;
  #hasEnded = false;

  constructor(stdin: Readable, handlers: InputHandlers) {
    this.#stdin = stdin;
    this.#handlers = handlers;
    stdin.on("data", this.#onData).on("end", this.#onEnd).on("close", this.#onEnd).on("error", this.#onError);
  }

  pause(): void {
    if (!this.#hasEnded) this.#stdin.pause();
  }

  resume(): void {
    if (!this.#hasEnded) this.#stdin.resume();
  }

  /** Stops reading. */
  close(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#stdin.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onEnd);
    this.#stdin.destroy();
    this.#handlers.ended();
  }

  #onData = (chunk: Buffer | string): void => {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    for (const line of this.#lines.push(bytes)) this.#read(line);
  };

  #onEnd = (): void => {
    if (this.#hasEnded) return;
    for (const line of this.#lines.end()) this.#read(line);
    this.close();
  };

  #onError = (error: Error): void => {
    if (!this.#hasEnded) this.#handlers.notice(`standard input could not be read to its end: ${error.message}`);
    this.#onEnd();
  };

  #read(line: SplitLine): void {
    this.#lineNumber += 1;
    const about = { size: 0, line: this.#lineNumber };
    if ("tooLong" in line) this.#skip(line.beginning, about);
    else this.#handlers.frame(parseFrame(line.text, line.isDamaged === true), { ...about, size: line.text.length });
  }

  #skip(beginning: string, about: { size: number; line: number }): void {
    const reason = "it is longer than 32 MB";
    const frame = skippedFrame(beginning, reason);
    // The request that waited for this reply fails. The line itself is also reported as unusable.
    if (frame.kind === "reply") this.#handlers.frame({ kind: "bad", reason }, about);
    this.#handlers.frame(frame, about);
  }
}
