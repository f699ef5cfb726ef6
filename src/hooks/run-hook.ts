/** One run of one hook: within its time limit, with a copy of the input, and with a record of the outcome. */
import { withoutUndefined } from "../lib/without-undefined.ts";
import { errorText } from "../lib/error-text.ts";
import { formatDuration } from "../lib/format-figures.ts";
import { onAbort } from "../lib/on-abort.ts";
import { copyJson } from "../protocol/copy-json.ts";
import type { HookEvent, HookInput } from "../protocol/hook.ts";
import { failedOutput, type HookOutput } from "./output.ts";
import { matcherField } from "./matcher.ts";
import type {
  StartedHook,
  HookDependencies,
  HookRecord,
  HookRunner,
  ProcessResult,
  HookWork,
  PrintedOutput,
} from "./runner.ts";

interface RunContext {
  dependencies: HookDependencies;
  ending: HookWork["ending"];
  killable: NonNullable<HookWork["killable"]>;
  /** For a hook that continues beside the session: what ends it, and what receives its output. Absent: the hook is always waited for. */
  detached?: { signal: AbortSignal; adopt: (finished: Promise<FinishedHook>) => void };
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
  { dependencies, ending, killable, detached }: RunContext,
): Promise<HookResult> {
  const { clock } = dependencies;
  const { name, blocksOnFailure: isGuard = false } = runner;
  const event = input.hook_event_name;
  const controller = new AbortController();
  const started = createStartedHook(runner, input, dependencies);
  const startedAt = clock.elapsed();
  const durationMs = (): number => Math.round(clock.elapsed() - startedAt);
  let processResult: ProcessResult | undefined;
  let stopProgress = (): void => {};
  return new Promise((resolve) => {
    let settle: ((finished: FinishedHook) => void) | undefined = resolve;
    const finish = (output: HookOutput, outcome: Outcome): void => {
      if (settle === undefined) return;
      limits.release();
      stopProgress();
      const record = { ...recordOf(started, output, outcome), ...processResult, durationMs: durationMs() };
      dependencies.watch?.(record);
      settle({ output, record });
      settle = undefined;
    };
    const limits = new RunLimits(clock, {
      onAbort: (reason) => {
        controller.abort(reason);
        finish({}, "cancelled");
      },
      onTimeout: (ms) => {
        controller.abort("timeout");
        finish(timeoutOutput(runner, event, ms), "timeout");
      },
    });
    if (!limits.apply(signal, runner.timeoutMs)) return;
    dependencies.onBegin?.(started);
    const follow = (printed: () => PrintedOutput): void => {
      if (settle !== undefined) stopProgress = reportProgress(started, printed, dependencies);
    };
    const detach = (limitMs = runner.timeoutMs): void => {
      if (settle === undefined || detached === undefined || started.isAsync) return;
      const { promise, resolve: finished } = Promise.withResolvers<FinishedHook>();
      settle = finished;
      started.isAsync = true;
      detached.adopt(promise);
      resolve({ output: {} });
      limits.apply(detached.signal, limitMs);
    };
    const work = { report: (what: ProcessResult) => void (processResult = what), ending, killable, follow, detach };
    Promise.resolve()
      // One copy per hook: a hook that changes its input affects neither the call nor another hook.
      .then(() => runner.run(copyJson(input), controller.signal, work))
      .then(
        (output) => finish(output, "success"),
        (error: unknown) => finish(failedOutput({}, event, name, `failed: ${errorText(error)}`, isGuard), "error"),
      );
  });
}

interface RunLimitHandlers {
  onAbort: (reason: unknown) => void;
  onTimeout: (ms: number) => void;
}

/** What can end a run from outside: its time limit, and the caller's signal. */
class RunLimits {
  readonly #clock: HookDependencies["clock"];
  readonly #handlers: RunLimitHandlers;
  #stopTimer = (): void => {};
  #stopListening = (): void => {};

  constructor(clock: HookDependencies["clock"], handlers: RunLimitHandlers) {
    this.#clock = clock;
    this.#handlers = handlers;
  }

  /** Replaces the current signal and limit by these. Returns false if the signal has already aborted. */
  apply(signal: AbortSignal, ms: number): boolean {
    this.release();
    this.#stopTimer = this.#clock.timer(ms, () => this.#handlers.onTimeout(ms));
    this.#stopListening = onAbort(signal, () => this.#handlers.onAbort(signal.reason));
    return !signal.aborted;
  }

  release(): void {
    this.#stopTimer();
    this.#stopListening();
  }
}

function recordOf(started: StartedHook, output: HookOutput, outcome: Outcome): Omit<HookRecord, "durationMs"> {
  const { problem, hint } = output;
  return {
    ...started,
    outcome: outcome === "success" && problem !== undefined ? "error" : outcome,
    decision: decisionOf(output),
    ...withoutUndefined({ problem, hint }),
  };
}

function createStartedHook(
  { name, statusMessage, isAsync = false }: HookRunner,
  input: HookInput,
  { ids }: HookDependencies,
): StartedHook {
  const event = input.hook_event_name;
  const field = matcherField(event);
  const matchedValue = field === undefined ? undefined : input[field];
  return {
    id: ids.uuid(),
    event,
    ...(matchedValue === undefined ? {} : { subject: matchedValue }),
    name,
    ...(statusMessage === undefined ? {} : { statusMessage }),
    isAsync,
  };
}

/** Reports new output every second. Returns a function that stops it. */
function reportProgress(
  started: StartedHook,
  printed: () => PrintedOutput,
  { clock, onProgress }: Pick<HookDependencies, "clock" | "onProgress">,
): () => void {
  if (onProgress === undefined) return () => {};
  let reportedLength = 0;
  let stop = (): void => {};
  const poll = (): void => {
    const now = printed();
    const length = now.stdout.length + now.stderr.length;
    if (length !== reportedLength) onProgress(started, now);
    reportedLength = length;
    stop = clock.timer(progressMs, poll);
  };
  stop = clock.timer(progressMs, poll);
  return () => stop();
}

function timeoutOutput(runner: HookRunner, event: HookEvent, timeoutMs: number): HookOutput {
  const { name, refusesOnTimeout, blocksOnFailure: isGuard = false } = runner;
  const why = `did not answer within ${formatDuration(timeoutMs)}`;
  if (isGuard || refusesOnTimeout !== true) return failedOutput({}, event, name, why, isGuard);
  const problem = `${name} hook ${why}`;
  if (event === "PreToolUse") return { problem, permission: { behavior: "deny", reason: `A ${event} ${problem}.` } };
  return event.startsWith("UserPrompt") ? { problem, blocking: `a ${problem}.` } : { problem };
}

function decisionOf(output: HookOutput): HookRecord["decision"] {
  const { preventContinuation, blocking, permission, permissionAnswer } = output;
  if (preventContinuation !== undefined) return "stop";
  if (blocking !== undefined) return "block";
  return (permission ?? permissionAnswer)?.behavior ?? "none";
}
