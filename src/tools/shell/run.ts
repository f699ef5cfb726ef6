/** One running command: the process, its pipes, and the few facts its end leaves. */
import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import type { OutputCollector, OutputStream } from "./output.ts";
import { signalGroup, type ProcessTree } from "../../lib/process-tree.ts";

export interface ShellExit {
  /** 128 + n where signal n ended it, as shells count. */
  code: number;
  signal: NodeJS.Signals | null;
}

export interface RunStart {
  file: string;
  args: readonly string[];
  cwd: string;
  environment: Record<string, string>;
  tag: string;
  output: OutputCollector;
  /** Called once, when nothing of the run is left to this process. */
  onRelease?: () => void;
}

/** Tells one owner's processes from all others. */
export function newMark(): string {
  return randomBytes(8).toString("hex");
}

/** A path longer than the system takes is none. */
const longestCwd = 64 * 1024;

export class ShellRun {
  readonly output: OutputCollector;
  readonly tree: ProcessTree;
  #onRelease: (() => void) | undefined;
  readonly #child: ChildProcess;
  #exit: ShellExit | null = null;
  #isClosed = false;
  #cwd: Buffer = Buffer.alloc(0);
  #openPipes = 2;
  readonly #whenClosed: Promise<void>;
  /** Called at each step towards the end. */
  onStep: (() => void) | null = null;

  private constructor(child: ChildProcess, start: RunStart, pid: number) {
    this.#child = child;
    this.output = start.output;
    this.#onRelease = start.onRelease;
    this.tree = { group: pid, tag: start.tag };
    this.#listen("stdout", child.stdout);
    this.#listen("stderr", child.stderr);
    const report = child.stdio[3] as Readable | null;
    report?.on("data", (chunk: Buffer) => {
      if (this.#cwd.length < longestCwd) this.#cwd = Buffer.concat([this.#cwd, chunk]);
      this.onStep?.();
    });
    // A pipe that breaks is one that ended: "close" still comes.
    for (const stream of child.stdio) stream?.on("error", () => this.onStep?.());
    child.on("exit", (code, signal) => {
      this.#exit = { code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]), signal };
      this.onStep?.();
    });
    const closed = Promise.withResolvers<void>();
    this.#whenClosed = closed.promise;
    child.on("close", () => {
      this.#isClosed = true;
      this.onStep?.();
      closed.resolve();
    });
  }

  /** Resolves once the shell runs; rejects with the system's error where it cannot be started. */
  static start(start: RunStart): Promise<ShellRun> {
    const { promise, resolve, reject } = Promise.withResolvers<ShellRun>();
    const child = spawn(start.file, start.args, {
      cwd: start.cwd,
      env: start.environment,
      stdio: ["ignore", "pipe", "pipe", "pipe"],
      // Its own process group and session: signals reach all of it, and no terminal is there to ask on.
      detached: true,
      windowsHide: true,
    });
    child.on("error", reject);
    if (child.pid !== undefined) resolve(new ShellRun(child, start, child.pid));
    return promise;
  }

  #listen(name: OutputStream, stream: Readable | null): void {
    stream?.on("data", (chunk: Buffer) => this.output.push(name, chunk));
    stream?.on("end", () => {
      this.#openPipes -= 1;
      this.onStep?.();
    });
  }

  /** Null while the shell itself runs. */
  get exit(): ShellExit | null {
    return this.#exit;
  }

  /** Nothing that this run started holds a pipe of it any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Something may still print. */
  get hasOpenOutput(): boolean {
    return this.#openPipes > 0;
  }

  /** Where the shell ended, as it reported; undefined where it did not. */
  get cwd(): Buffer | undefined {
    const end = this.#cwd.lastIndexOf(0);
    return end === -1 ? undefined : this.#cwd.subarray(this.#cwd.lastIndexOf(0, end - 1) + 1, end);
  }

  /** Resolves when `isClosed`. */
  whenClosed(): Promise<void> {
    return this.#whenClosed;
  }

  /** Stops listening, whoever still writes, and gives back what the run held. */
  release(): void {
    for (const stream of this.#child.stdio) stream?.destroy();
    this.output.close();
    const tell = this.#onRelease;
    this.#onRelease = undefined;
    tell?.();
  }

  /** At once and for good; for the last moment of the process. */
  killNow(): void {
    signalGroup(this.tree.group, "SIGKILL");
  }
}
