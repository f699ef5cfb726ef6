/** `--input-format stream-json`: user messages come in while turns run, and are handed out one after another. */
import type { Readable } from "node:stream";
import { parseInputLine, type InputLine, type Prompt } from "./input-line.ts";
import { LineSplitter } from "./line-splitter.ts";

/** The API's own limit on a request: a longer message could not be sent. */
const longestLine = 32 * 1024 * 1024;
/** Read ahead no further than this; the sender waits then. */
const readAhead = 2 * longestLine;

export interface InboxHandlers {
  /** An answer for the other side, one JSON line. */
  reply(message: object): void;
  /** A line that could not be used, told to people and to the other side. */
  reject(reason: string): void;
  notice(text: string): void;
}

export class Inbox implements AsyncIterable<Prompt> {
  readonly #stdin: Readable;
  readonly #handlers: InboxHandlers;
  readonly #lines = new LineSplitter(longestLine);
  readonly #queue: { prompt: Prompt; size: number }[] = [];
  #queued = 0;
  #lineNumber = 0;
  #isOver = false;
  #wake: (() => void) | undefined;

  constructor(stdin: Readable, handlers: InboxHandlers) {
    this.#stdin = stdin;
    this.#handlers = handlers;
    stdin.on("data", this.#take).on("end", this.#finish).on("close", this.#finish).on("error", this.#break);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Prompt> {
    for (;;) {
      const next = this.#queue.shift();
      if (next !== undefined) {
        this.#queued -= next.size;
        if (this.#queued < readAhead) this.#stdin.resume();
        yield next.prompt;
      } else if (this.#isOver) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** No more is read, and what waits is dropped. */
  close(): void {
    this.#queue.length = 0;
    this.#over();
  }

  #take = (chunk: Buffer | string): void => {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    for (const line of this.#lines.push(bytes)) this.#read(line);
  };

  #finish = (): void => {
    if (this.#isOver) return;
    for (const line of this.#lines.end()) this.#read(line);
    this.#over();
  };

  #break = (error: Error): void => {
    if (!this.#isOver) this.#handlers.notice(`standard input could not be read any further: ${error.message}`);
    this.#finish();
  };

  #over(): void {
    this.#isOver = true;
    this.#stdin.off("data", this.#take).off("end", this.#finish).off("close", this.#finish);
    this.#stdin.destroy();
    this.#wake?.();
  }

  #read(line: { text: string } | { tooLong: true }): void {
    this.#lineNumber += 1;
    if ("tooLong" in line) this.#act({ kind: "bad", reason: "it is longer than 32 MB" }, 0);
    else this.#act(parseInputLine(line.text), line.text.length);
  }

  #act(line: InputLine, size: number): void {
    switch (line.kind) {
      case "prompt":
        this.#queue.push({ prompt: this.#located(line.prompt), size });
        this.#queued += size;
        if (this.#queued >= readAhead) this.#stdin.pause();
        this.#wake?.();
        return;
      case "control":
        this.#handlers.reply({
          type: "control_response",
          response: {
            subtype: "error",
            request_id: line.requestId,
            error: `pawl does not support control requests yet (${line.subtype})`,
          },
        });
        return;
      case "nothing":
        return;
      case "unknown":
        this.#handlers.notice(
          `line ${this.#lineNumber} of standard input was passed over: its type "${line.type}" is not known`,
        );
        return;
      case "bad":
        this.#handlers.reject(this.#notUsed(line.reason));
        return;
      default:
        line satisfies never;
    }
  }

  #located(prompt: Prompt): Prompt {
    return prompt.problem === undefined ? prompt : { ...prompt, problem: this.#notUsed(prompt.problem) };
  }

  #notUsed(reason: string): string {
    return `line ${this.#lineNumber} of standard input was not used: ${reason}`;
  }
}
