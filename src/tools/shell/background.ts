/**
 * The owner of every process the tools start: commands that run, commands that were sent or moved to the background, and what commands leave
 * running. Whoever made it disposes it, and then nothing is left.
 */
import { limited } from "../../lib/limited.ts";
import { present } from "../../lib/present.ts";
import { loadOnce } from "../../lib/load-once.ts";
import type { ToolClock } from "../tool-clock.ts";
import { endTree, killTree } from "../../lib/process-tree.ts";
import { Foreground } from "./foreground.ts";
import type { RunStart, ShellRun } from "./run.ts";

/** With the first command: many sessions run none. */
const loadRun = loadOnce(() => import("./run.ts"));

export type BackgroundStatus = "running" | "completed" | "failed" | "killed";

export interface BackgroundTask {
  id: string;
  command: string;
  description?: string;
  /** The call that began it. */
  toolUseId?: string;
  status: BackgroundStatus;
  /** Null while it runs, and where it was killed. */
  exitCode: number | null;
  /** Where its output is, both streams as they came. Null where it has none of ours to write to, or no file could be made. */
  outputPath: string | null;
  outputBytes: number;
  /** Why it was stopped where nobody asked for that. One clause. */
  overrun?: string;
}

export interface BackgroundDetails {
  command: string;
  description?: string;
  toolUseId?: string;
  /** Ended after this long, ms; absent: runs until it ends or the session does. */
  lifetimeMs?: number;
}

export interface CommandStart extends Omit<RunStart, "tag" | "environment" | "check"> {
  /** Awaited before the command begins; what it rejects with is why it does not. */
  ready?: (() => Promise<void>) | undefined;
}

export interface BackgroundTasks {
  /** What calls wait for. */
  readonly foreground: Foreground;
  /** A command may be on its way: what starting one has to wait for is begun. */
  expect(): void;
  /** Starts a command this owner answers for. `tag` and the pipes are its business; rejects where the system refuses. */
  start(start: CommandStart, environment: (tag: string) => Record<string, string>): Promise<ShellRun>;
  /** Forgets a run that is over and left nothing. */
  release(run: ShellRun): void;
  /** Ends a run with all its descendants. `beforeRelease`: called when they are gone, and what the run held is not given back yet. */
  end(run: ShellRun, beforeRelease?: () => void): Promise<void>;
  /** From here on the run is a task with an id, and its output goes to a file. */
  keep(run: ShellRun, details: BackgroundDetails): BackgroundTask;
  list(): BackgroundTask[];
  get(id: string): BackgroundTask | undefined;
  /** Ends a task; resolves with its last state once it is over. Undefined: there is no such task. */
  stop(id: string): Promise<BackgroundTask | undefined>;
  /** Called once for each task, when it is over; returns what removes the listener. */
  onSettled(listener: (task: BackgroundTask) => void): () => void;
  /** Waits up to `graceMs` for tasks to end by themselves. */
  drain(graceMs: number): Promise<void>;
  /** Drains, then ends everything and sweeps. Afterwards nothing can be started. Rejects with what a listener threw, if one did. */
  dispose(graceMs: number): Promise<void>;
  /** Kills at once, without waiting: for the last moment of the process. */
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
  /** From TERM to KILL, ms. */
  killGraceMs?: number;
  /** Somebody else starts the shells, and they have to be given their pipes. */
  pipesAhead?: boolean;
}

const closing = "the session is closing";
/** Over tasks are remembered, the last so many. */
const mostRemembered = 100;

class Owner implements BackgroundTasks {
  readonly foreground = new Foreground();
  readonly #clock: ToolClock;
  readonly #killGraceMs: number;
  readonly #pipesAhead: boolean;
  /** Since the first command: unguessable, and on all processes of this owner. */
  #mark: string | null = null;
  /** Since a first command was to be expected. */
  #letPipesGo: (() => Promise<void>) | null = null;
  readonly #live = new Set<ShellRun>();
  readonly #starting = new Set<Promise<void>>();
  readonly #entries = new Map<string, Entry>();
  readonly #listeners = new Set<(task: BackgroundTask) => void>();
  readonly #faults: unknown[] = [];
  #started = 0;
  #kept = 0;
  #isDisposed = false;

  constructor({ clock, killGraceMs = 2000, pipesAhead = false }: BackgroundOptions) {
    this.#clock = clock;
    this.#pipesAhead = pipesAhead;
    this.#killGraceMs = killGraceMs;
  }

  expect(): void {
    if (this.#letPipesGo !== null) return;
    loadRun().then(
      ({ keepPipes }) => {
        if (!this.#isDisposed) this.#letPipesGo ??= keepPipes(this.#pipesAhead);
      },
      // The command will say why it cannot be.
      () => {},
    );
  }

  async start(start: CommandStart, environment: (tag: string) => Record<string, string>): Promise<ShellRun> {
    this.#refuseLate();
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
    { ready, ...start }: CommandStart,
    environment: (tag: string) => Record<string, string>,
  ): Promise<ShellRun> {
    const { keepPipes, newMark, ShellRun: Run } = await loadRun();
    this.#letPipesGo ??= keepPipes(this.#pipesAhead);
    this.#mark ??= newMark();
    this.#started += 1;
    const tag = `:${this.#mark}.${this.#started}:`;
    const check = async (): Promise<void> => {
      await ready?.();
      this.#refuseLate();
    };
    const run = await Run.start({ ...start, tag, environment: environment(tag), check });
    this.#live.add(run);
    return run;
  }

  #refuseLate(): void {
    if (this.#isDisposed) throw new Error(closing);
  }

  release(run: ShellRun): void {
    this.#live.delete(run);
    run.release();
  }

  async end(run: ShellRun, beforeRelease?: () => void): Promise<void> {
    await endTree(run.tree, { clock: this.#clock, graceMs: this.#killGraceMs });
    // What was in the pipes when the processes died is still read.
    await limited(this.#clock, 500, run.whenClosed());
    beforeRelease?.();
    this.release(run);
  }

  keep(run: ShellRun, { command, description, toolUseId, lifetimeMs }: BackgroundDetails): BackgroundTask {
    if (run.hasOpenOutput) run.output.beginFile();
    this.#kept += 1;
    const id = `b${this.#mark?.slice(0, 4) ?? ""}${this.#kept}`;
    const task: BackgroundTask = {
      id,
      command,
      status: "running",
      exitCode: null,
      outputPath: run.output.path,
      outputBytes: run.output.total,
      ...present({ description, toolUseId }),
    };
    const entry: Entry = { task, run, isStopped: false, cancelLifetime: () => {}, settled: Promise.resolve() };
    const own = (work: Promise<void>): void => {
      entry.settled = work.catch((fault: unknown) => void this.#faults.push(fault));
    };
    const stop = (): void => own(this.#endEntry(entry));
    const overrun = (why: string) => (): void => {
      if (!entry.isStopped) task.overrun = why;
      stop();
    };
    run.output.onExcess = overrun("it put out more than is kept");
    if (lifetimeMs !== undefined)
      entry.cancelLifetime = this.#clock.timer(lifetimeMs, overrun(`its time was up (${lifetimeMs / 1_000} s)`));
    own(run.whenClosed().then(() => this.#settle(entry)));
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
    return Array.from(this.#entries.values(), (entry) => this.#look(entry));
  }

  get(id: string): BackgroundTask | undefined {
    const entry = this.#entries.get(id);
    return entry === undefined ? undefined : this.#look(entry);
  }

  #look({ task, run }: Entry): BackgroundTask {
    return { ...task, outputBytes: run.output.total };
  }

  async stop(id: string): Promise<BackgroundTask | undefined> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    await this.#endEntry(entry);
    return this.#look(entry);
  }

  onSettled(listener: (task: BackgroundTask) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async drain(graceMs: number): Promise<void> {
    const running = Array.from(this.#entries.values()).filter(({ task }) => task.status === "running");
    if (running.length === 0 || graceMs <= 0) return;
    const closed = Promise.all(running.map(async ({ run }) => await run.whenClosed()));
    await limited(this.#clock, graceMs, closed);
  }

  async dispose(graceMs: number): Promise<void> {
    this.#isDisposed = true;
    await Promise.all(this.#starting);
    await this.drain(graceMs);
    const entries = Array.from(this.#entries.values());
    await Promise.all(entries.map(async (entry) => await this.#endEntry(entry)));
    await Promise.all(entries.map(async ({ settled }) => await settled));
    await Promise.all(Array.from(this.#live, async (run) => await this.end(run)));
    // What a command left in a session of its own, and without our pipes, is known by the mark alone.
    if (this.#mark !== null) await killTree({ tag: `:${this.#mark}.` }, this.#clock);
    await this.#letPipesGo?.();
    this.#listeners.clear();
    if (this.#faults.length > 0) throw this.#faults[0];
  }

  killNow(): void {
    this.#isDisposed = true;
    for (const run of this.#live) run.killNow();
  }
}

export function createBackgroundTasks(options: BackgroundOptions): BackgroundTasks {
  return new Owner(options);
}
