// One simulated world: a clock, a disk, a server, and the processes that come and go in it.
import type { ScriptedModel } from "../../src/testing/index.ts";
import type { IdPort } from "../../src/loop/ports.ts";
import { Book, type RequestSeen } from "./book.ts";
import { Choices } from "./choices.ts";
import { count, type Counts } from "./coverage.ts";
import { Disk, noTrouble, type DiskTrouble, type Mount } from "./disk.ts";
import { drawPlan, type Plan } from "./plan.ts";
import { Scheduler, type Owner } from "./scheduler.ts";
import { Trace } from "./trace.ts";
import { Transcripts } from "./transcripts.ts";

export const workFolder = "/work";
export const pawlHome = "/home/.pawl";

export class Process implements Owner {
  readonly name: string;
  readonly pid: number;
  readonly mount: Mount;
  isDead = false;
  /** Lock releases and the like, for the moment a process ends by itself. */
  readonly onExit = new Set<() => void>();

  constructor(world: World, number: number, trouble: DiskTrouble) {
    this.name = `p${number}`;
    this.pid = 1_000 + number;
    this.mount = world.disk.mount(this, trouble, () => this.die());
  }

  /** From now on nothing that the process does has an effect. */
  die(): void {
    this.isDead = true;
  }
}

export function neverResolves<T>(): Promise<T> {
  return new Promise(() => undefined);
}

export class World {
  readonly choices: Choices;
  readonly trace: Trace;
  readonly scheduler: Scheduler;
  readonly disk: Disk;
  readonly book = new Book();
  readonly plan: Plan;
  readonly counts: Counts = {};
  readonly transcripts: Transcripts;
  server: ScriptedModel | null = null;
  /** The request that the server is about to answer. */
  currentRequest: RequestSeen | null = null;
  process: Process;
  hasLostPower = false;
  /** The number of processes that died while they worked. */
  deaths = 0;
  #processes = 0;
  #ids = 0;
  readonly #streaks = new Map<string, { what: unknown; left: number }>();
  readonly #seed: number;

  constructor(seed: number, given: readonly number[] | undefined, keepsTrace: boolean) {
    this.#seed = seed;
    this.choices = new Choices(seed, given);
    this.trace = new Trace(keepsTrace);
    this.scheduler = new Scheduler(this.choices, this.trace);
    this.disk = new Disk(() => this.scheduler.now, this.trace);
    this.transcripts = new Transcripts(this.disk);
    this.plan = drawPlan(this.choices);
    this.process = this.start(noTrouble);
    this.trace.add(`plan ${JSON.stringify(this.plan)}`);
  }

  start(trouble: DiskTrouble): Process {
    this.process = new Process(this, this.#processes++, trouble);
    return this.process;
  }

  count(kind: string, name: string): void {
    count(this.counts, kind, name);
  }

  /** Valid ids that are the same in every run of a seed. */
  readonly ids: IdPort = {
    uuid: () => {
      // The names of agents are the beginnings of ids, so the beginnings must differ.
      const head = (++this.#ids).toString(16).padStart(8, "0");
      const tail = (this.#seed >>> 0).toString(16).padStart(12, "0");
      return `${head}-0000-4000-8000-${tail}`;
    },
    random: () => this.choices.below(1_000) / 1_000,
  };

  /** Repeats what was drawn for a while, because misfortunes often come in series; otherwise returns what `draw` returns. */
  drawInStreaks<T>(name: string, draw: () => T | undefined, percent = 40): T | undefined {
    const going = this.#streaks.get(name);
    if (going !== undefined && going.left > 0) {
      going.left--;
      return going.what as T;
    }
    const what = draw();
    if (what !== undefined && this.choices.chance(percent))
      this.#streaks.set(name, { what, left: this.choices.pick([1, 2, 4, 9]) });
    return what;
  }

  /** How long something takes, ms: mostly no time, sometimes long, seldom longer than anyone waits. */
  latency(): number {
    return this.choices.weighted([
      [50, 0],
      [20, 3],
      [12, 40],
      [10, 250],
      [5, 4_000],
      [2, 45_000],
      [1, 700_000],
    ]);
  }
}
