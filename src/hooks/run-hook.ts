/** One run of one hook: within its time limit, with a copy of the input, and with a record of the outcome. */
import { present } from "../lib/present.ts";
import { errorText } from "../lib/error-text.ts";
import { seconds } from "../lib/figures.ts";
import { copyJson } from "../protocol/copy-json.ts";
import type { HookEvent, HookInput } from "../protocol/hook.ts";
import { blockedOutput, type HookOutput } from "./output.ts";
import { matcherField } from "./matcher.ts";
import type { BegunHook, HookDependencies, HookRecord, HookRunner, HookTold, HookWork, Printed } from "./runner.ts";

interface RunSurroundings {
  dependencies: HookDependencies;
  ending: HookWork["ending"];
  killable: NonNullable<HookWork["killable"]>;
  /** For a hook that goes on beside the session: what ends it, and who receives its output. Absent: the hook is always waited for. */
  beside?: { signal: AbortSignal; own: (finished: Promise<FinishedHook>) => void };
}

type Outcome = HookRecord["outcome"];

export interface FinishedHook {
  output: HookOutput;
  record: HookRecord;
}

export type HookResult = FinishedHook | { output: HookOutput; record?: undefined };

const progressMs = 1_000;

/**
 * Runs a hook. Settles with its answer, at its limit, or immediately when the caller's signal aborts; without an answer or a record if the
 * hook continues beside the session. Never rejects.
 */
export function runHook(
  runner: HookRunner,
  input: HookInput & Record<string, unknown>,
  signal: AbortSignal,
  { dependencies, ending, killable, beside }: RunSurroundings,
): Promise<HookResult> {
  const { clock } = dependencies;
  const event = input.hook_event_name;
  const controller = new AbortController();
  const begun = begin(runner, input, dependencies);
  const startedAt = clock.elapsed();
  const durationMs = (): number => Math.round(clock.elapsed() - startedAt);
  let told: HookTold | undefined;
  let stopProgress = (): void => {};
  return new Promise((resolve) => {
    let settle: ((finished: FinishedHook) => void) | undefined = resolve;
    const finish = (output: HookOutput, outcome: Outcome): void => {
      if (settle === undefined) return;
      leash.release();
      stopProgress();
      const record = { ...recordOf(begun, output, outcome), ...told, durationMs: durationMs() };
      dependencies.watch?.(record);
      settle({ output, record });
      settle = undefined;
    };
    const leash = new Leash(clock, {
      aborted: (reason) => {
        controller.abort(reason);
        finish({}, "cancelled");
      },
      expired: (ms) => {
        controller.abort("timeout");
        finish(expired(runner, event, ms), "timeout");
      },
    });
    if (!leash.hold(signal, runner.timeoutMs)) return;
    dependencies.onBegin?.(begun);
    const follow = (printed: () => Printed): void => {
      if (settle !== undefined) stopProgress = showProgress(begun, printed, dependencies);
    };
    const goOnBeside = (limitMs = runner.timeoutMs): void => {
      if (settle === undefined || beside === undefined || begun.isAsync) return;
      const { promise, resolve: finished } = Promise.withResolvers<FinishedHook>();
      settle = finished;
      begun.isAsync = true;
      beside.own(promise);
      resolve({ output: {} });
      leash.hold(beside.signal, limitMs);
    };
    const own = { tell: (what: HookTold) => void (told = what), ending, killable, follow, goOnBeside };
    Promise.resolve()
      // One copy per hook: a hook that changes its input affects neither the call nor another hook.
      .then(() => runner.run(copyJson(input), controller.signal, own))
      .then(
        (output) => finish(output, "success"),
        (error: unknown) => finish(failure(runner, event, error), "error"),
      );
  });
}

interface LeashEnds {
  aborted: (reason: unknown) => void;
  expired: (ms: number) => void;
}

/** What can end a run from outside: its time limit, and the caller's signal. */
class Leash {
  readonly #clock: HookDependencies["clock"];
  readonly #ends: LeashEnds;
  #signal: AbortSignal | undefined;
  #stopTimer = (): void => {};
  readonly #onAbort = (): void => this.#ends.aborted(this.#signal?.reason);

  constructor(clock: HookDependencies["clock"], ends: LeashEnds) {
    this.#clock = clock;
    this.#ends = ends;
  }

  /** Replaces the current signal and limit by these. Returns false if the signal has already aborted. */
  hold(signal: AbortSignal, ms: number): boolean {
    this.release();
    this.#signal = signal;
    this.#stopTimer = this.#clock.timer(ms, () => this.#ends.expired(ms));
    signal.addEventListener("abort", this.#onAbort);
    if (signal.aborted) this.#onAbort();
    return !signal.aborted;
  }

  release(): void {
    this.#stopTimer();
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }
}

function recordOf(begun: BegunHook, output: HookOutput, outcome: Outcome): Omit<HookRecord, "durationMs"> {
  const { problem, hint } = output;
  return {
    ...begun,
    outcome: outcome === "success" && problem !== undefined ? "error" : outcome,
    decision: decisionOf(output),
    ...present({ problem, hint }),
  };
}

function begin(
  { name, statusMessage, isAsync = false }: HookRunner,
  input: HookInput,
  { ids }: HookDependencies,
): BegunHook {
  const event = input.hook_event_name;
  const field = matcherField(event);
  const subject = field === undefined ? undefined : input[field];
  return {
    id: ids.uuid(),
    event,
    ...(subject === undefined ? {} : { subject }),
    name,
    ...(statusMessage === undefined ? {} : { statusMessage }),
    isAsync,
  };
}

/** Reports new output every second. Returns a function that stops it. */
function showProgress(
  begun: BegunHook,
  printed: () => Printed,
  { clock, onProgress }: Pick<HookDependencies, "clock" | "onProgress">,
): () => void {
  if (onProgress === undefined) return () => {};
  let told = 0;
  let stop = (): void => {};
  const look = (): void => {
    const now = printed();
    const length = now.stdout.length + now.stderr.length;
    if (length !== told) onProgress(begun, now);
    told = length;
    stop = clock.timer(progressMs, look);
  };
  stop = clock.timer(progressMs, look);
  return () => stop();
}

function failure({ name, blocksOnFailure }: HookRunner, event: HookEvent, error: unknown): HookOutput {
  const problem = `${name} hook failed: ${errorText(error)}`;
  return blocksOnFailure === true ? { ...blockedOutput({}, event, name, problem), problem } : { problem };
}

function expired(runner: HookRunner, event: HookEvent, timeoutMs: number): HookOutput {
  const { name, refusesOnTimeout, blocksOnFailure } = runner;
  const problem = `${name} hook did not answer within ${seconds(timeoutMs)}`;
  if (blocksOnFailure === true) return { ...blockedOutput({}, event, name, problem), problem };
  if (refusesOnTimeout !== true) return { problem };
  if (event === "PreToolUse") return { problem, permission: { behavior: "deny", reason: `A ${event} ${problem}.` } };
  return event.startsWith("UserPrompt") ? { problem, blocking: `a ${problem}.` } : { problem };
}

function decisionOf(output: HookOutput): HookRecord["decision"] {
  const { preventContinuation, blocking, permission, permissionAnswer } = output;
  if (preventContinuation !== undefined) return "stop";
  if (blocking !== undefined) return "block";
  return (permission ?? permissionAnswer)?.behavior ?? "none";
}
