/** One running command: its process, its pipes, and the facts known when it ends. */
import { randomBytes } from "node:crypto";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import type { OutputCollector, OutputStream } from "./output.ts";
import { signalGroup, findInheritedSocket, type ProcessTree } from "../../lib/process-tree.ts";
import { keepShellPipes, makeShellPipesAhead } from "../../lib/shell-pipes.ts";
import { reportDescriptors } from "./program.ts";
import { spawnPiped, type PipedChild } from "../../lib/spawn-piped.ts";

export interface ShellExit {
  /** 128 + n if signal n ended the process, as shells report. */
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
  /** Awaited right before the command begins; if it rejects, the command does not run. */
  check: () => Promise<void>;
  /** Called once more when the shell is ready; if it throws, the command does not run. */
  recheck: () => void;
  /** Called once, when this process holds nothing of the run any more. */
  onRelease?: () => void;
}

/** A mark that distinguishes one owner's processes from all others. */
export function newMark(): string {
  return randomBytes(8).toString("hex");
}

/** Keeps pipes ready for one owner of runs; `ahead` makes them now. Returns a function that releases them. */
export function keepPipes(ahead: boolean): () => Promise<void> {
  const releasePipes = keepShellPipes({});
  if (ahead) makeShellPipesAhead();
  return releasePipes;
}

/** Longer than any path the system accepts. */
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
  /** Called when the shell has ended, and again when all pipes are closed. */
  onStep: (() => void) | null = null;

  private constructor(piped: PipedChild, start: RunStart) {
    const { child, pid, reportSocket: link } = piped;
    this.#piped = piped;
    this.output = start.output;
    this.#onRelease = start.onRelease;
    // The shell starts with the socket at descriptor 3 and then moves it to the report descriptor.
    const descriptors = [3, ...reportDescriptors];
    const socket = link === undefined ? findInheritedSocket(pid, descriptors) : { link, descriptors };
    this.tree = { group: pid, tag: start.tag, socket };
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

  /** Resolves once the shell runs; rejects with the system's error if it cannot be started. */
  static async start(start: RunStart): Promise<ShellRun> {
    const piped = await spawnPiped(start.file, start.args, {
      cwd: start.cwd,
      env: start.environment,
      stdin: "ignore",
      reports: true,
      ownPipes: start.ownPipes,
      check: start.check,
      recheck: start.recheck,
      // A separate process group and session: signals reach the whole group, and there is no terminal to ask on.
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

  /** Nothing that this run started holds one of its pipes any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** More output may come. */
  get hasOpenOutput(): boolean {
    return this.#openPipes > 0;
  }

  /** The working directory in which the shell ended, as it reported it; undefined if it did not. */
  get cwd(): Buffer | undefined {
    const end = this.#cwd.lastIndexOf(0);
    // `pwd` ends with a line end, which belongs to no path.
    return end === -1 ? undefined : this.#cwd.subarray(this.#cwd.lastIndexOf(0, end - 1) + 1, end - 1);
  }

  /** Resolves when `isClosed`. */
  whenClosed(): Promise<void> {
    return this.#whenClosed;
  }

  /** Stops listening, even if processes still write, and releases what the run held. */
  release(): void {
    this.#piped.releasePipes();
    this.output.close();
    const notify = this.#onRelease;
    this.#onRelease = undefined;
    notify?.();
  }

  /** Kills the process group at once: for the moment the process exits. */
  killNow(): void {
    signalGroup(this.tree.group, "SIGKILL");
  }
}
