/** A server as a child process: one JSON message per line on stdin and stdout, stderr for the log, and a bounded shutdown. */
import { errorText } from "../lib/error-text.ts";
import { spawn, type ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { hasPipes } from "../lib/has-pipes.ts";
import { endTree, signalGroup, type ProcessTree } from "../lib/process-tree.ts";
import { withTimeLimit } from "../lib/with-time-limit.ts";
import type { McpTransport } from "../protocol/mcp.ts";
import { parseMessages } from "./message-repair.ts";

export interface StdioOptions {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
  /** Also in `env`: identifies the server's descendants. */
  tag: string;
  clock: { timer(ms: number, onFire: () => void): () => void };
  /** Receives its stderr line by line, and odd lines from its stdout. */
  log: (line: string) => void;
}

/** Limit for one message, and for pending input of a server that does not read. */
const maxBytes = 16 * 1024 * 1024;
const maxLogLine = 1_000;
const maxLogCharacters = 64 * 1024;
/** Lines with places in the server's own code, after an error message: only useful in the log. */
const stackLinePattern = /^(?:\s+at .*|Node\.js v[\d.]+)$/u;
/** The wait after its input has ended, ms; most servers exit on their own then. */
const exitWaitMs = 300;
const graceMs = 1_500;

export class StdioTransport implements McpTransport {
  onmessage?: (message: never) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #options: StdioOptions;
  #child: (ChildProcess & { stdin: Writable; stdout: Readable; stderr: Readable }) | undefined;
  #tree: ProcessTree | undefined;
  #isClosed = false;
  readonly #exited = Promise.withResolvers<void>();
  #logged = 0;
  #lastErrors = "";
  #lastOddLine = "";
  #closing: Promise<void> | undefined;

  constructor(start: StdioOptions) {
    this.#options = start;
  }

  /** The end of its stderr, which mostly says why it failed; if it wrote nothing there, its last line that was no message. */
  get lastWords(): string {
    return this.#lastErrors.trim() || this.#lastOddLine;
  }

  /** How its process ended by itself, as a clause. A number says less than the server's own words. */
  get howItEnded(): string | undefined {
    const { exitCode = null, signalCode = null } = this.#child ?? {};
    if (signalCode !== null) return `it was ended by the signal ${signalCode}`;
    return exitCode === null || this.lastWords !== "" ? undefined : `it ended with exit code ${exitCode}`;
  }

  start(): Promise<void> {
    const { command, args, cwd, env } = this.#options;
    return new Promise((resolve, reject) => {
      const child = spawn(command, [...args], {
        cwd,
        env,
        stdio: ["pipe", "pipe", "pipe"],
        detached: true,
        windowsHide: true,
      });
      if (!hasPipes(child)) return void child.once("error", reject);
      this.#child = child;
      child.once("spawn", () => resolve());
      child.on("error", (error) => {
        reject(error);
        this.#notifyClosed();
      });
      if (child.pid !== undefined) this.#tree = { group: child.pid, tag: this.#options.tag };
      this.#listen(child);
    });
  }

  #listen(child: ChildProcess & { stdin: Writable; stdout: Readable; stderr: Readable }): void {
    const messages = new LineReader(maxBytes, (line) => this.#handleLine(line));
    child.stdout.on("data", (chunk: Buffer) => {
      // Output may continue until the process is killed.
      if (this.#isClosed) return;
      if (!messages.push(chunk)) this.#fail(`it sent a line of more than ${maxBytes / 1024 / 1024} MiB`);
    });
    child.stdout.on("end", () => {
      this.#handleRest(messages.takeRest());
      this.#handleOutputEnd().catch((error: unknown) => this.#log(errorText(error)));
    });
    const errors = new LineReader(maxLogLine * 4, (line) => this.#handleErrorLine(line.toString("utf8")));
    child.stderr.on("data", (chunk: Buffer) => {
      if (!errors.push(chunk)) errors.flush();
    });
    // A broken pipe means that the process ended: "close" still comes.
    for (const stream of child.stdio) stream?.on("error", () => {});
    const over = (): void => {
      this.#handleRest(messages.takeRest());
      errors.flush();
      this.#notifyClosed();
    };
    // When this process is busy, "exit" may come before the last output was read, so the pipes are polled once more.
    child.on("exit", () => void setImmediate(() => setImmediate(over)));
    child.on("close", over);
  }

  #handleLine(line: Buffer): void {
    if (this.#isClosed || line.length === 0) return;
    const messages = parseMessages(line.toString("utf8"));
    if (messages === undefined) return this.#handleOddLine(line.subarray(0, maxLogLine).toString("utf8"));
    for (const each of messages) this.onmessage?.(each as never);
  }

  /** The last line without its end: some programs write none after their last words. Half a message says nothing. */
  #handleRest(rest: Buffer): void {
    const text = rest.toString("utf8");
    if (!/^\s*(?:\[\s*)?\{/u.test(text) || parseMessages(text) !== undefined) this.#handleLine(rest);
  }

  #handleOddLine(text: string): void {
    if (text.trim() !== "") this.#lastOddLine = text.trim();
    this.#log(`(no message) ${text}`);
  }

  #handleErrorLine(line: string): void {
    if (!stackLinePattern.test(line))
      this.#lastErrors = `${this.#lastErrors}\n${line.slice(0, maxLogLine)}`.slice(-2_000);
    this.#log(line);
  }

  #log(line: string): void {
    if (this.#logged > maxLogCharacters) return;
    const text = line.slice(0, maxLogLine);
    this.#logged += text.length + 1;
    this.#options.log(this.#logged > maxLogCharacters ? "(it writes more than is kept of it)" : text);
  }

  #fail(why: string): void {
    this.onerror?.(new Error(why));
    this.#lastErrors = why;
    // Not awaited here: the code that drops this connection waits for its end.
    this.close().catch((error: unknown) => this.#log(errorText(error)));
  }

  /** The server closed its output and can answer nothing. Mostly it has exited, and its last stderr output counts anyway. */
  async #handleOutputEnd(): Promise<void> {
    await this.#waitForExit();
    if (this.#isClosed) return;
    const errorOutput = this.#lastErrors;
    this.#fail("it closed its standard output");
    if (errorOutput !== "") this.#lastErrors = errorOutput;
  }

  #notifyClosed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
    this.#exited.resolve();
  }

  send(message: unknown): Promise<void> {
    const { stdin } = this.#child ?? {};
    if (stdin === undefined || this.#isClosed || stdin.destroyed)
      return Promise.reject(new Error("the server has ended"));
    if (stdin.writableLength > maxBytes) return Promise.reject(new Error("the server does not read its input"));
    return new Promise((resolve, reject) => {
      stdin.write(`${JSON.stringify(message)}\n`, (error) => {
        if (error) this.#waitForExit().then(() => reject(new Error("the server no longer takes input")), reject);
        else resolve();
      });
    });
  }

  /** Mostly the process has exited: then the waiting callers learn of that, and of its last output. */
  async #waitForExit(): Promise<void> {
    await withTimeLimit(this.#options.clock, exitWaitMs, this.#exited.promise);
  }

  /** Ends its input, then asks it to exit, then kills it, with everything it started. */
  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async #shutDown(): Promise<void> {
    const [child, tree] = [this.#child, this.#tree];
    this.#notifyClosed();
    if (child === undefined || tree === undefined) return;
    const { clock } = this.#options;
    if (child.exitCode === null && child.signalCode === null) {
      const exited = new Promise((resolve) => void child.once("exit", resolve));
      child.stdin.end();
      await withTimeLimit(clock, exitWaitMs, exited);
    }
    await endTree(tree, { clock, graceMs });
    for (const stream of child.stdio) stream?.destroy();
  }

  /** Kills at once and for good, for the last moment of this process. */
  killNow(): void {
    if (this.#tree !== undefined) signalGroup(this.#tree.group, "SIGKILL");
  }
}

/** Splits a stream into lines without joining incomplete ones. */
class LineReader {
  readonly #maxBytes: number;
  readonly #onLine: (line: Buffer) => void;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(maxBytes: number, onLine: (line: Buffer) => void) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
  }

  /** Returns false if the current line is too long. */
  push(chunk: Buffer): boolean {
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      this.#parts.push(chunk.subarray(from, at));
      this.flush();
      from = at + 1;
    }
    this.#parts.push(chunk.subarray(from));
    this.#length += chunk.length - from;
    return this.#length <= this.#maxBytes;
  }

  /** Ends the current line, if there is one. */
  flush(): void {
    const line = this.takeRest();
    if (line.length > 0) this.#onLine(line);
  }

  /** The current line so far, which is then no longer here. */
  takeRest(): Buffer {
    const line = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#length = 0;
    return line.at(-1) === 13 ? line.subarray(0, -1) : line;
  }
}
