/** One running command: the process, its pipes, and the few facts its end leaves. */
import { randomBytes } from "node:crypto";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import type { OutputCollector, OutputStream } from "./output.ts";
import { signalGroup, socketOf, type ProcessTree } from "../../lib/process-tree.ts";
import { keepShellPipes, makeShellPipesAhead } from "../../lib/shell-pipes.ts";
import { reportDescriptors } from "./program.ts";
import { spawnPiped, type PipedChild } from "../../lib/spawn-piped.ts";

export interface ShellExit {
  /** 128 + n where signal n ended it, as shells count. */
  code: number;
  signal: NodeJS.Signals | null;
}

export interface RunStart {
  file: string;
  args: readonly string[];
  ownPipes?: readonly string[] | undefined;
  cwd: string;
  environment: Record<string, string>;
  tag: string;
  output: OutputCollector;
  /** Awaited right before the command begins: what this rejects with is why it does not. */
  check: () => Promise<void>;
  /** Called once, when nothing of the run is left to this process. */
  onRelease?: () => void;
}

/** For one owner of runs: tells its processes from all others. */
export function newMark(): string {
  return randomBytes(8).toString("hex");
}

/** Has pipes at hand for one owner of runs; `ahead`: they are made now. What it answers gives them back. */
export function keepPipes(ahead: boolean): () => Promise<void> {
  const letGo = keepShellPipes({});
  if (ahead) makeShellPipesAhead();
  return letGo;
}

/** A path longer than the system takes is none. */
const longestCwd = 64 * 1024;

export class ShellRun {
  readonly output: OutputCollector;
  readonly tree: ProcessTree;
  #onRelease: (() => void) | undefined;
  readonly #piped: PipedChild;
  #exit: ShellExit | null = null;
  #isClosed = false;
  readonly #whenClosed: Promise<void>;
  #cwd: Buffer = Buffer.alloc(0);
  #openPipes = 2;
  /** Called once the shell has ended, and once all is closed. */
  onStep: (() => void) | null = null;

  private constructor(piped: PipedChild, start: RunStart) {
    const { child, pid } = piped;
    this.#piped = piped;
    this.output = start.output;
    this.#onRelease = start.onRelease;
    // The shell has it at 3 as it begins, and then where it reports from.
    this.tree = { group: pid, tag: start.tag, socket: socketOf(pid, [3, ...reportDescriptors]) };
    this.#listen("stdout", piped.stdout);
    this.#listen("stderr", piped.stderr);
    const report = child.stdio[3] as Readable | null;
    report?.on("data", (chunk: Buffer) => {
      if (this.#cwd.length < longestCwd) this.#cwd = Buffer.concat([this.#cwd, chunk]);
    });
    child.on("exit", (code, signal) => {
      this.#exit = { code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]), signal };
      this.onStep?.();
    });
    this.#whenClosed = piped.closed.then(() => {
      this.#isClosed = true;
      this.onStep?.();
    });
  }

  /** Resolves once the shell runs; rejects with the system's error where it cannot be started. */
  static async start(start: RunStart): Promise<ShellRun> {
    const piped = await spawnPiped(start.file, start.args, {
      cwd: start.cwd,
      env: start.environment,
      stdin: "ignore",
      reports: true,
      ownPipes: start.ownPipes,
      check: start.check,
      // Its own process group and session: signals reach all of it, and no terminal is there to ask on.
      detached: true,
      windowsHide: true,
    });
    return new ShellRun(piped, start);
  }

  #listen(name: OutputStream, stream: Readable): void {
    stream.on("data", (chunk: Buffer) => this.output.push(name, chunk));
    stream.on("end", () => (this.#openPipes -= 1));
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
    this.#piped.letGo();
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
