/** Retention, in the background: what is old goes while answers come, a little at a time, once a process and home. */
import { removeAbandoned } from "../lib/atomic-write.ts";
import { errorText } from "../lib/error-text.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ClockPort } from "../loop/ports.ts";
import { sweepSteps } from "../transcript/index.ts";
import type { Machine } from "./surroundings/machine.ts";
import type { Joined } from "./joined.ts";

interface HousekeepingOptions {
  pawlHome: string;
  /** Undefined: nobody could tell how long sessions are to be kept, so all are. */
  cleanupPeriodDays: number | undefined;
  clock: ClockPort;
  machine: Pick<Machine, "files" | "processes">;
  debug: (line: string) => void;
  /** What agents of a process that died left behind. */
  sweepWorktrees: () => Promise<void>;
  /** Told of the sessions that were removed, and of what went wrong. Must not throw. */
  swept?: (removed: number, problems: number) => void;
}

const swept = new Set<string>();

/** Sessions that end with their first answer, as those of scripts do, would never get to it otherwise. */
const leavingMs = 20;

export class Housekeeping {
  readonly #options: HousekeepingOptions;
  #work: Promise<void> | null = null;
  #isStopped = false;
  /** By the clock's `elapsed`, once it is stopped. */
  #until = 0;
  /** Ends the pause between two pieces of work. */
  #wake = (): void => {};

  constructor(options: HousekeepingOptions) {
    this.#options = options;
  }

  /** Begins, where no other session of this process has. */
  start(): void {
    const { pawlHome, cleanupPeriodDays, debug } = this.#options;
    if (this.#work !== null || this.#isStopped || cleanupPeriodDays === undefined || swept.has(pawlHome)) return;
    swept.add(pawlHome);
    this.#work = this.#sweep(cleanupPeriodDays).catch((error: unknown) => debug(`sweep failed: ${errorText(error)}`));
  }

  /** Goes on for a moment, and leaves what is left then to the next session. */
  async stop(): Promise<void> {
    this.#until = this.#options.clock.elapsed() + leavingMs;
    this.#isStopped = true;
    this.#wake();
    await this.#work;
  }

  async #sweep(cleanupPeriodDays: number): Promise<void> {
    const { pawlHome, clock, machine, debug, sweepWorktrees } = this.#options;
    const { files: fs, processes } = machine;
    // Half a file of settings, of trust or of logins.
    removeAbandoned(pawlHome, (pid) => processes.isAlive(pid), clock.now());
    await sweepWorktrees();
    const steps = sweepSteps({ home: pawlHome, now: clock.now(), cleanupPeriodDays, fs, processes });
    for (;;) {
      await this.#pause();
      if (this.#isStopped && clock.elapsed() >= this.#until) {
        swept.delete(pawlHome);
        return;
      }
      const step = steps.next();
      if (step.done !== true) continue;
      const { removed, problems } = step.value;
      if (removed.length > 0) debug(`sweep removed ${removed.length} sessions: ${removed.join(" ")}`);
      for (const problem of problems) debug(`sweep: ${problem}`);
      this.#options.swept?.(removed.length, problems.length);
      return;
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const stopTimer = this.#options.clock.timer(0, resolve);
      this.#wake = () => {
        stopTimer();
        resolve();
      };
      if (this.#isStopped) this.#wake();
    });
  }
}

/** A session that leaves nothing behind removes nothing either. */
export function housekeepingOf({ around, store, options }: Pick<Joined, "around" | "store" | "options">): Housekeeping {
  const { pawlHome, clock, machine, env, notice } = around;
  const sweepWorktrees = async (): Promise<void> => {
    if (!existsSync(join(pawlHome, "worktrees"))) return;
    const { sweepWorktrees: sweep } = await import("./worktrees/sweep.ts");
    await sweep({ pawlHome, env, processes: machine.processes, now: clock.now(), notice });
  };
  const cleanupPeriodDays = store.transcript === null ? undefined : around.cleanupPeriodDays;
  const debug = (line: string): void => options.debug?.(line);
  const { telemetry } = around;
  const told = telemetry === undefined ? {} : { swept: telemetry.beside.swept };
  return new Housekeeping({ pawlHome, cleanupPeriodDays, clock, machine, debug, sweepWorktrees, ...told });
}
