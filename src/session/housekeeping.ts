/** Retention: deletes old sessions in the background while answers arrive, a little at a time, once per process and home. */
import { removeUnfinishedWrites } from "../lib/atomic-write.ts";
import { errorText } from "../lib/error-text.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ClockPort } from "../loop/ports.ts";
import { sweepSteps } from "../transcript/index.ts";
import type { Machine } from "./surroundings/machine.ts";
import type { Joined } from "./joined.ts";

interface HousekeepingOptions {
  pawlHome: string;
  /** Undefined if the retention period could not be determined; nothing is deleted then. */
  cleanupPeriodDays: number | undefined;
  clock: ClockPort;
  machine: Pick<Machine, "files" | "processes">;
  debug: (line: string) => void;
  /** Removes worktrees left behind by agents of a process that died. */
  sweepWorktrees: () => Promise<void>;
  /** Gets the number of sessions removed and of problems. Must not throw. */
  onSwept?: (removed: number, problems: number) => void;
}

const sweptHomes = new Set<string>();

/** Extra time at the end: without it, sessions that end with their first answer, as those of scripts do, would never sweep. */
const stopGraceMs = 20;

export class Housekeeping {
  readonly #options: HousekeepingOptions;
  #work: Promise<void> | null = null;
  #isStopped = false;
  /** By the clock's `elapsed`; set once stopped. */
  #deadline = 0;
  /** Ends the pause between two pieces of work. */
  #wake = (): void => {};

  constructor(options: HousekeepingOptions) {
    this.#options = options;
  }

  /** Starts the sweep, unless another session of this process has. */
  start(): void {
    const { pawlHome, cleanupPeriodDays, debug } = this.#options;
    if (this.#work !== null || this.#isStopped || cleanupPeriodDays === undefined || sweptHomes.has(pawlHome)) return;
    sweptHomes.add(pawlHome);
    this.#work = this.#sweep(cleanupPeriodDays).catch((error: unknown) => debug(`sweep failed: ${errorText(error)}`));
  }

  /** Continues for a moment, and leaves the rest to the next session. */
  async stop(): Promise<void> {
    this.#deadline = this.#options.clock.elapsed() + stopGraceMs;
    this.#isStopped = true;
    this.#wake();
    await this.#work;
  }

  async #sweep(cleanupPeriodDays: number): Promise<void> {
    const { pawlHome, clock, machine, debug, sweepWorktrees } = this.#options;
    const { files: fs, processes } = machine;
    // Half-written files of settings, trust or logins.
    removeUnfinishedWrites(pawlHome, (pid) => processes.isAlive(pid), clock.now());
    await sweepWorktrees();
    const steps = sweepSteps({ home: pawlHome, now: clock.now(), cleanupPeriodDays, fs, processes });
    for (;;) {
      await this.#pause();
      if (this.#isStopped && clock.elapsed() >= this.#deadline) {
        sweptHomes.delete(pawlHome);
        return;
      }
      const step = steps.next();
      if (step.done !== true) continue;
      const { removed, problems } = step.value;
      if (removed.length > 0) debug(`sweep removed ${removed.length} sessions: ${removed.join(" ")}`);
      for (const problem of problems) debug(`sweep: ${problem}`);
      this.#options.onSwept?.(removed.length, problems.length);
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

/** Housekeeping for one session. A session that persists nothing deletes nothing either. */
export function createHousekeeping({
  around,
  store,
  options,
}: Pick<Joined, "around" | "store" | "options">): Housekeeping {
  const { pawlHome, clock, machine, env, notice } = around;
  const sweepWorktrees = async (): Promise<void> => {
    if (!existsSync(join(pawlHome, "worktrees"))) return;
    const { sweepWorktrees: sweep } = await import("./worktrees/sweep.ts");
    await sweep({ pawlHome, env, processes: machine.processes, now: clock.now(), notice });
  };
  const cleanupPeriodDays = store.transcript === null ? undefined : around.cleanupPeriodDays;
  const debug = (line: string): void => options.debug?.(line);
  const { telemetry } = around;
  const sweptOption = telemetry === undefined ? {} : { onSwept: telemetry.sideEvents.reportSweep };
  return new Housekeeping({ pawlHome, cleanupPeriodDays, clock, machine, debug, sweepWorktrees, ...sweptOption });
}
