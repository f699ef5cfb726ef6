// One seed: a conversation of several user turns over as many processes as it takes, and what is to be said of it at the end.
import { checkClosed, checkConversation, checkOpened, checkQueue } from "./end-checks.ts";
import type { Problem } from "./book.ts";
import type { Counts } from "./coverage.ts";
import { noTrouble, type DiskTrouble, type Operation } from "./disk.ts";
import { actBetweenTurns } from "./user-actions.ts";
import { createServer } from "./model.ts";
import { checkBill } from "./money-checks.ts";
import { openSeat, type Opening } from "./open-seat.ts";
import type { Seat } from "./seat.ts";
import { simulatedTranscriptPath } from "./places.ts";
import { takeTurn } from "./user.ts";
import { World, type Process } from "./world.ts";

export interface Outcome {
  seed: number;
  problems: Problem[];
  counts: Counts;
  choices: number[];
  hash: string;
  lines: string[] | null;
  steps: number;
  requests: number;
  virtualMs: number;
}

const maxSteps = 12_000;
const sessionTag = "root";
/** What a record that matters holds, each of a kind. */
const notableRecords = [
  '"queued_command"',
  '"queued_command"',
  '"queued_command"',
  '"tool_use"',
  '"tool_result"',
  '"tool_started"',
  '"response_end"',
  '"transition"',
  '"tombstone"',
  '"compact_boundary"',
  '"thinking_stripped"',
  '"results_cleared"',
  '"collapse_commit"',
  '"interruption"',
];

export async function simulate(
  seed: number,
  options: { given?: readonly number[]; trace?: boolean; atEnd?: (world: World) => void } = {},
): Promise<Outcome> {
  const world = new World(seed, options.given, options.trace === true);
  world.server = createServer(world);
  try {
    await new Simulation(world).run();
  } catch (error) {
    world.book.addProblem("simulator", error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  options.atEnd?.(world);
  const { book, counts, choices, scheduler, trace } = world;
  return {
    seed,
    problems: book.problems,
    counts,
    choices: choices.taken,
    hash: trace.end(),
    lines: trace.lines,
    steps: scheduler.steps,
    requests: world.server.requests.length,
    virtualMs: scheduler.elapsed,
  };
}

class Simulation {
  readonly #world: World;
  #sessionId: string;
  #seat: Seat | null = null;
  #spawned = 0;
  /** Sessions below this one that are not over. */
  readonly #childSessions = new Set<string>();

  constructor(world: World) {
    this.#world = world;
    this.#sessionId = world.ids.uuid();
  }

  async run(): Promise<void> {
    const { plan, choices, ids } = this.#world;
    const leftovers: { uuid: string; text: string }[] = [];
    for (let turn = 0; turn < plan.turns; turn++) {
      const seat = this.#seat ?? (await this.#open());
      if (seat === null) return;
      this.#drawFaults(seat.process);
      const queued = leftovers.shift();
      const [text, uuid] = queued === undefined ? [`prompt ${turn}`, ids.uuid()] : [queued.text, queued.uuid];
      const ended = await this.#phase(`turn ${turn}`, seat.process, () => takeTurn(this.#world, seat, text, uuid));
      if (ended === "stuck") return;
      if (ended === "died") this.#bury(seat);
      else {
        seat.process.mount.trouble = noTrouble;
        const taken = new Set<string>();
        for (let left = seat.engine.takeQueued(); left !== undefined; left = seat.engine.takeQueued()) {
          taken.add(left.uuid);
          leftovers.push({
            uuid: left.uuid,
            text: left.prompt.map((block) => (block.type === "text" ? block.text : "")).join(""),
          });
        }
        checkQueue(seat, taken);
        if (seat.turn?.isClosed === true || choices.chance(25)) await this.#close(seat);
        else {
          this.#changeSettings(seat);
          if (choices.chance(plan.moods.between) && (await this.#between(seat)) === "stuck") return;
        }
      }
      if (this.#world.book.problems.length > 0) return;
    }
    if (this.#seat !== null) await this.#close(this.#seat);
  }

  /** Between two turns things happen that are no turns, and go wrong as turns do. */
  async #between(seat: Seat): Promise<"over" | "died" | "stuck"> {
    if (this.#world.choices.chance(50)) this.#drawFaults(seat.process);
    const ended = await this.#phase("between turns", seat.process, () => actBetweenTurns(this.#world, seat));
    this.#sessionId = seat.engine.getSessionId();
    if (ended === "died") this.#bury(seat);
    else seat.process.mount.trouble = noTrouble;
    return ended;
  }

  /** Opens the conversation, resumed where there is one; null where that went wrong for good. */
  async #open(): Promise<Seat | null> {
    const world = this.#world;
    const process =
      world.scheduler.steps === 0 && !world.process.isDead ? world.process : world.start(this.#troubleAtStart());
    const path = simulatedTranscriptPath(this.#sessionId);
    const isResumed = world.disk.size(path) > 0;
    const opening: Opening = {
      tag: sessionTag,
      sessionId: this.#sessionId,
      isResumed,
      maySpawn: world.plan.nested,
      maxBudgetUsd: world.plan.maxBudgetUsd,
    };
    let seat: Seat | null = null;
    let refusal: unknown;
    const ended = await this.#phase("opening", process, async () => {
      try {
        seat = await openSeat(world, process, opening);
      } catch (error) {
        refusal = error;
      }
    });
    if (ended === "stuck") return null;
    if (process.isDead || seat === null) {
      if (!process.isDead && process.mount.faultCount === 0) {
        world.book.addProblem(
          "opening",
          `the session would not open: ${refusal instanceof Error ? refusal.message : String(refusal)}`,
        );
        return null;
      }
      world.count("opening", "failed");
      this.#buryProcess(process);
      return await this.#open();
    }
    return this.#opened(seat, isResumed);
  }

  #opened(seat: Seat, isResumed: boolean): Seat {
    seat.process.mount.trouble = noTrouble;
    seat.spawn = (signal) => this.#spawn(seat, signal);
    this.#seat = seat;
    this.#world.count("opening", isResumed ? "resumed" : "new");
    if (isResumed) checkOpened(seat);
    return seat;
  }

  /** A session below another: what a tool that delegates does. */
  async #spawn(parent: Seat, signal: AbortSignal): Promise<string> {
    const world = this.#world;
    const tag = `below-${++this.#spawned}`;
    this.#childSessions.add(tag);
    const opening = { tag, sessionId: world.ids.uuid(), isResumed: false, maySpawn: false };
    const seat = await openSeat(world, parent.process, { ...opening, maxBudgetUsd: world.plan.maxBudgetUsd });
    const end = (): void => {
      if (seat.engine.interrupt("user")) seat.turnCancelled("user");
    };
    signal.addEventListener("abort", end);
    await takeTurn(world, seat, `task of ${tag}`, world.ids.uuid());
    signal.removeEventListener("abort", end);
    await seat.engine.dispose();
    this.#childSessions.delete(tag);
    return `${tag} is done`;
  }

  async #close(seat: Seat): Promise<void> {
    this.#seat = null;
    const ended = await this.#phase("closing", seat.process, () => seat.engine.dispose());
    if (ended === "stuck") return;
    seat.isClosed = true;
    // What was given up may still be at work: it is waited for, so that what it leaves can be told from what the engine leaves.
    await this.#world.scheduler.runUntil(() => this.#childSessions.size === 0, maxSteps);
    // It may have died while that was waited for.
    if (ended === "over" && !seat.process.isDead) {
      checkClosed(seat);
      checkConversation(seat, false);
      checkBill(seat);
    }
    this.#world.scheduler.dropEvents(seat.process);
    seat.process.die();
  }

  #bury(seat: Seat): void {
    this.#seat = null;
    checkConversation(seat, true);
    checkBill(seat);
    this.#buryProcess(seat.process, seat);
  }

  #buryProcess(process: Process, seat?: Seat): void {
    const world = this.#world;
    process.die();
    world.scheduler.dropEvents(process);
    this.#childSessions.clear();
    world.trace.add(`${process.name} is dead`);
    const isPower = world.choices.chance(35);
    world.count("death", isPower ? "power" : "process");
    world.deaths++;
    world.hasLostPower ||= isPower;
    // The death of a process takes nothing that was written; a power cut takes what was not synced.
    if (isPower) {
      world.transcripts.forgetUnsynced(world.plan.durability === "power");
      world.disk.cutPower(world.choices);
    } else seat?.transcript.markWritten();
    // A machine takes its time to come back.
    world.scheduler.now += isPower ? 60_000 : 1_000;
  }

  /** Runs the loop until the work is done, or its process is no more, or nothing can happen any more. */
  async #phase(name: string, process: Process, work: () => Promise<void>): Promise<"over" | "died" | "stuck"> {
    const { scheduler, book } = this.#world;
    let isDone = false;
    work().then(
      () => {
        isDone = true;
      },
      (error: unknown) => {
        isDone = true;
        book.addProblem(
          "law 3",
          `${name} threw: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
        );
      },
    );
    const ending = await scheduler.runUntil(() => isDone || process.isDead, maxSteps);
    if (process.isDead) return "died";
    if (ending === "nothing can happen") book.addProblem("law 8", `${name}: something is awaited without a limit`);
    if (ending === "too many events") book.addProblem("law 4", `${name}: no end after ${maxSteps} events`);
    return ending === "done" ? "over" : "stuck";
  }

  /** The end of the process, or a disk that fails, somewhere in the turn to come. */
  #drawFaults(process: Process): void {
    const { choices, plan, scheduler } = this.#world;
    if (choices.chance(plan.moods.crash)) {
      const share = choices.pick([0, 1, 0.5, 0.97]);
      if (choices.chance(40))
        process.mount.trouble = {
          ...noTrouble,
          death: { at: this.#writeCount(process) + choices.between(1, 30), share },
        };
      else if (choices.chance(30))
        process.mount.trouble = { ...noTrouble, aimed: { words: choices.pick(notableRecords), strike: { share } } };
      else
        scheduler.schedule(choices.pick([0, 3, 50, 500, 9_000, 60_000]), "the process is killed", process, () =>
          process.die(),
        );
    } else if (choices.chance(plan.moods.disk)) process.mount.trouble = this.#drawTrouble(process);
  }

  #writeCount(process: Process): number {
    return process.mount.countOf("write");
  }

  #drawTrouble(process: Process): DiskTrouble {
    const { choices } = this.#world;
    if (choices.chance(40)) {
      const strike = { code: choices.pick(["ENOSPC", "EIO"]), times: choices.pick([1, 2, 1_000]) };
      return { ...noTrouble, aimed: { words: choices.pick(notableRecords), strike } };
    }
    const operation = choices.pick<Operation>(["write", "write", "sync", "truncate", "status", "close"]);
    const code = choices.pick(["ENOSPC", "EIO", "EACCES", "EMFILE"]);
    const at = process.mount.countOf(operation) + choices.between(1, 20);
    return {
      fault: { operation, code, at, times: choices.pick([1, 2, 1_000]) },
      death: null,
      shortWrites: choices.pick([0, 3, 1]),
      aimed: null,
    };
  }

  #troubleAtStart(): DiskTrouble {
    const { choices, plan } = this.#world;
    if (!choices.chance(plan.moods.disk / 4)) return noTrouble;
    const operation = choices.pick<Operation>([
      "open",
      "read",
      "write",
      "link",
      "makeFolder",
      "statusOf",
      "remove",
      "rename",
    ]);
    const code = choices.pick(["EIO", "EACCES", "EMFILE", "ENOSPC"]);
    return {
      fault: { operation, code, at: choices.between(1, 6), times: choices.pick([1, 100]) },
      death: null,
      shortWrites: 0,
      aimed: null,
    };
  }

  /** What a user changes between two turns. */
  #changeSettings(seat: Seat): void {
    const { choices, plan } = this.#world;
    if (choices.chance(8)) seat.engine.setPermissionMode(choices.pick(["default", "acceptEdits", "dontAsk"]));
    if (choices.chance(8)) seat.engine.setEffort(choices.pick(["low", "max", undefined]));
    if (choices.chance(8) && plan.fallbacks.length > 0) seat.chooseModel(choices.pick([plan.model, ...plan.fallbacks]));
  }
}
