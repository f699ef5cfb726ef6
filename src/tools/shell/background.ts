/**
 * The owner of every process that tools start: running commands, background commands, and processes that commands leave behind.
 * Its creator has to dispose it, which ends all of them.
 */
import { withTimeLimit } from "../../lib/with-time-limit.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import { loadOnce } from "../../lib/load-once.ts";
import type { ToolClock } from "../tool-clock.ts";
import { endTree, killTree } from "../../lib/process-tree.ts";
import { Foreground } from "./foreground.ts";
import type { RunStart, ShellRun } from "./run.ts";

/** Loaded with the first command: many sessions run none. */
const loadRun = loadOnce(() => import("./run.ts"));

export type BackgroundStatus = "running" | "completed" | "failed" | "killed";

export interface BackgroundTask {
  id: string;
  command: string;
  description?: string;
  /** The call that started the task. */
  toolUseId?: string;
  status: BackgroundStatus;
  /** Null while the task runs, or if it was killed. */
  exitCode: number | null;
  /** The file with its output, both streams interleaved. Null if its output pipes are closed, or no file could be made. */
  outputPath: string | null;
  outputBytes: number;
  /** Why the task was stopped without a request. One clause. */
  overrun?: string;
}

export interface BackgroundDetails {
  command: string;
  description?: string;
  toolUseId?: string;
  /** The task is ended after this many ms; absent: it runs until it ends itself or the session does. */
  lifetimeMs?: number;
}

export interface CommandStart extends Omit<RunStart, "tag" | "environment" | "check" | "recheck"> {
  /** Awaited before the command begins; if it rejects, the command does not run. */
  ready?: (() => Promise<void>) | undefined;
  /** Called right before the command begins; if it throws, the command does not run. */
  assertWanted?: (() => void) | undefined;
}

export interface BackgroundTasks {
  /** The commands that calls wait for. */
  readonly foreground: Foreground;
  /** Call this when a command may follow: it prepares what starting one needs. */
  expectCommand(): void;
  /** Starts a command that this owner is responsible for. It sets `tag` and the pipes itself. Rejects if the system refuses. */
  start(start: CommandStart, environment: (tag: string) => Record<string, string>): Promise<ShellRun>;
  /** Forgets a run that is over and left no process. */
  release(run: ShellRun): void;
  /** Ends a run and all its descendants. `beforeRelease` is called once they are gone but before the run's resources are released. */
  end(run: ShellRun, beforeRelease?: () => void): Promise<void>;
  /** Turns the run into a task with an id, whose output goes to a file. */
  keepAsTask(run: ShellRun, details: BackgroundDetails): BackgroundTask;
  list(): BackgroundTask[];
  get(id: string): BackgroundTask | undefined;
  /** Ends a task; resolves with its last state once it is over. Undefined: there is no such task. */
  stop(id: string): Promise<BackgroundTask | undefined>;
  /** The listener is called once for each task, when it is over; returns a function that removes it. */
  onSettled(listener: (task: BackgroundTask) => void): () => void;
  /** Waits up to `graceMs` for running tasks to end. */
  drain(graceMs: number): Promise<void>;
  /** Drains, then ends everything and sweeps. Nothing can be started afterwards. Rejects with an error a listener threw, if any. */
  dispose(graceMs: number): Promise<void>;
  /** Kills everything at once, without waiting: for the moment the process exits. */
  killNow(): void;
}

interface Entry {
  task: BackgroundTask;
  run: ShellRun;
  isStopped: boolean;
  cancelLifetime: () => void;
  settled: Promise<void>;
}

export interface BackgroundOptions {
  clock: ToolClock;
  /** The time from SIGTERM to SIGKILL, ms. */
  killGraceMs?: number;
  /** Another process starts the shells and must be given their pipes. */
  pipesAhead?: boolean;
}

const closingText = "the session is closing";
/** The number of finished tasks that are remembered; the oldest are dropped. */
const mostRemembered = 100;

class BackgroundTaskOwner implements BackgroundTasks {
  readonly foreground = new Foreground();
  readonly #clock: ToolClock;
  readonly #killGraceMs: number;
  readonly #pipesAhead: boolean;
  /** Set with the first command: an unguessable mark on all processes of this owner. */
  #mark: string | null = null;
  /** Set once a command is expected. */
  #releasePipes: (() => Promise<void>) | null = null;
  readonly #live = new Set<ShellRun>();
  readonly #starting = new Set<Promise<void>>();
  readonly #entries = new Map<string, Entry>();
  readonly #listeners = new Set<(task: BackgroundTask) => void>();
  readonly #listenerErrors: unknown[] = [];
  #started = 0;
  #taskCount = 0;
  #isDisposed = false;

  constructor({ clock, killGraceMs = 2000, pipesAhead = false }: BackgroundOptions) {
    this.#clock = clock;
    this.#pipesAhead = pipesAhead;
    this.#killGraceMs = killGraceMs;
  }

  expectCommand(): void {
    if (this.#releasePipes !== null) return;
    loadRun().then(
      ({ keepPipes }) => {
        if (!this.#isDisposed) this.#releasePipes ??= keepPipes(this.#pipesAhead);
      },
      // Starting the command reports the error.
      () => {},
    );
  }

  async start(start: CommandStart, environment: (tag: string) => Record<string, string>): Promise<ShellRun> {
    this.#assertNotDisposed();
    const starting = this.#start(start, environment);
    const settled = starting.then(
      () => {},
      () => {},
    );
    this.#starting.add(settled);
    try {
      return await starting;
    } finally {
      this.#starting.delete(settled);
    }
  }

  async #start(
    { ready, assertWanted, ...start }: CommandStart,
    environment: (tag: string) => Record<string, string>,
  ): Promise<ShellRun> {
    const { keepPipes, newMark, ShellRun: Run } = await loadRun();
    this.#releasePipes ??= keepPipes(this.#pipesAhead);
    this.#mark ??= newMark();
    this.#started += 1;
    const tag = `:${this.#mark}.${this.#started}:`;
    const recheck = (): void => {
      this.#assertNotDisposed();
      assertWanted?.();
    };
    const check = async (): Promise<void> => {
      await ready?.();
      recheck();
    };
    const run = await Run.start({ ...start, tag, environment: environment(tag), check, recheck });
    this.#live.add(run);
    return run;
  }

  #assertNotDisposed(): void {
    if (this.#isDisposed) throw new Error(closingText);
  }

  release(run: ShellRun): void {
    this.#live.delete(run);
    run.release();
  }

  async end(run: ShellRun, beforeRelease?: () => void): Promise<void> {
    await endTree(run.tree, { clock: this.#clock, graceMs: this.#killGraceMs });
    // Output that was in the pipes when the processes died is still read.
    await withTimeLimit(this.#clock, 500, run.whenClosed());
    beforeRelease?.();
    this.release(run);
  }

  keepAsTask(run: ShellRun, { command, description, toolUseId, lifetimeMs }: BackgroundDetails): BackgroundTask {
    if (run.hasOpenOutput) run.output.beginFile();
    this.#taskCount += 1;
    const id = `b${this.#mark?.slice(0, 4) ?? ""}${this.#taskCount}`;
    const task: BackgroundTask = {
      id,
      command,
      status: "running",
      exitCode: null,
      outputPath: run.output.path,
      outputBytes: run.output.total,
      ...withoutUndefined({ description, toolUseId }),
    };
    const entry: Entry = { task, run, isStopped: false, cancelLifetime: () => {}, settled: Promise.resolve() };
    const track = (work: Promise<void>): void => {
      entry.settled = work.catch((fault: unknown) => void this.#listenerErrors.push(fault));
    };
    const stop = (): void => track(this.#endEntry(entry));
    const overrun = (why: string) => (): void => {
      if (!entry.isStopped) task.overrun = why;
      stop();
    };
    run.output.onExcess = overrun("it printed more than is kept");
    if (lifetimeMs !== undefined)
      entry.cancelLifetime = this.#clock.timer(lifetimeMs, overrun(`its time was up (${lifetimeMs / 1_000} s)`));
    track(run.whenClosed().then(() => this.#settle(entry)));
    this.#entries.set(id, entry);
    this.#forgetOldest();
    return { ...task };
  }

  #forgetOldest(): void {
    for (const [id, { task }] of this.#entries) {
      if (this.#entries.size <= mostRemembered) return;
      if (task.status !== "running") this.#entries.delete(id);
    }
  }

  async #endEntry(entry: Entry): Promise<void> {
    if (entry.task.status !== "running") return;
    entry.isStopped = true;
    await this.end(entry.run);
    this.#settle(entry);
  }

  #settle(entry: Entry): void {
    const { task, run } = entry;
    if (task.status !== "running") return;
    entry.cancelLifetime();
    const code = run.exit?.code ?? null;
    task.status = entry.isStopped ? "killed" : code === 0 ? "completed" : "failed";
    task.exitCode = entry.isStopped ? null : code;
    task.outputBytes = run.output.total;
    this.release(run);
    for (const listener of this.#listeners) listener({ ...task });
  }

  list(): BackgroundTask[] {
    return Array.from(this.#entries.values(), (entry) => this.#snapshot(entry));
  }

  get(id: string): BackgroundTask | undefined {
    const entry = this.#entries.get(id);
    return entry === undefined ? undefined : this.#snapshot(entry);
  }

  #snapshot({ task, run }: Entry): BackgroundTask {
    return { ...task, outputBytes: run.output.total };
  }

  async stop(id: string): Promise<BackgroundTask | undefined> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    await this.#endEntry(entry);
    return this.#snapshot(entry);
  }

  onSettled(listener: (task: BackgroundTask) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async drain(graceMs: number): Promise<void> {
    const running = Array.from(this.#entries.values()).filter(({ task }) => task.status === "running");
    if (running.length === 0 || graceMs <= 0) return;
    const closed = Promise.all(running.map(async ({ run }) => await run.whenClosed()));
    await withTimeLimit(this.#clock, graceMs, closed);
  }

  async dispose(graceMs: number): Promise<void> {
    this.#isDisposed = true;
    await Promise.all(this.#starting);
    await this.drain(graceMs);
    const entries = Array.from(this.#entries.values());
    await Promise.all(entries.map(async (entry) => await this.#endEntry(entry)));
    await Promise.all(entries.map(async ({ settled }) => await settled));
    await Promise.all(Array.from(this.#live, async (run) => await this.end(run)));
    // A process that a command left in its own session and without our pipes can be found by the mark only.
    if (this.#mark !== null) await killTree({ tag: `:${this.#mark}.` }, this.#clock);
    await this.#releasePipes?.();
    this.#listeners.clear();
    if (this.#listenerErrors.length > 0) throw this.#listenerErrors[0];
  }

  killNow(): void {
    this.#isDisposed = true;
    for (const run of this.#live) run.killNow();
  }
}

export function createBackgroundTasks(options: BackgroundOptions): BackgroundTasks {
  return new BackgroundTaskOwner(options);
}
