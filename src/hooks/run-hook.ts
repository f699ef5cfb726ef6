/** One run of one hook: within its limit, with a copy of the input, and with a record of how it went. */
import { errorText } from "../lib/error-text.ts";
import { copyJson } from "../protocol/copy-json.ts";
import type { HookEvent, HookInput } from "../protocol/hook.ts";
import { blockedOutput, type HookOutput } from "./output.ts";
import { matcherField } from "./matcher.ts";
import type { BegunHook, HookDependencies, HookRecord, HookRunner, HookTold, Printed } from "./runner.ts";

interface RunSurroundings {
  dependencies: HookDependencies;
  ending: (work: Promise<void>) => void;
}

type Outcome = HookRecord["outcome"];

export interface FinishedHook {
  output: HookOutput;
  record: HookRecord;
}

const progressMs = 1_000;

/** Settles at the hook's answer, at its limit, or at once when the caller's signal aborts. Never rejects. */
export function runHook(
  runner: HookRunner,
  input: HookInput & Record<string, unknown>,
  signal: AbortSignal,
  { dependencies, ending }: RunSurroundings,
): Promise<FinishedHook> {
  const { clock, watch } = dependencies;
  const event = input.hook_event_name;
  const controller = new AbortController();
  const begun = begin(runner, input, dependencies);
  const startedAt = clock.elapsed();
  let told: HookTold | undefined;
  let stopProgress = (): void => {};
  return new Promise((resolve) => {
    let isOver = false;
    const finish = (output: HookOutput, outcome: Outcome): void => {
      if (isOver) return;
      isOver = true;
      stop();
      stopProgress();
      signal.removeEventListener("abort", onAbort);
      const { problem } = output;
      const record: HookRecord = {
        ...begun,
        ...told,
        durationMs: Math.round(clock.elapsed() - startedAt),
        outcome: outcome === "success" && problem !== undefined ? "error" : outcome,
        decision: decisionOf(output),
        ...(problem === undefined ? {} : { problem }),
      };
      watch?.(record);
      resolve({ output, record });
    };
    const onAbort = (): void => {
      controller.abort(signal.reason);
      finish({}, "cancelled");
    };
    const stop = clock.timer(runner.timeoutMs, () => {
      controller.abort("timeout");
      finish(expired(runner, event), "timeout");
    });
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) return onAbort();
    dependencies.onBegin?.(begun);
    const follow = (printed: () => Printed): void => {
      if (!isOver) stopProgress = showProgress(begun, printed, dependencies);
    };
    const own = { tell: (what: HookTold) => void (told = what), ending, follow };
    Promise.resolve()
      // A copy each: what a hook does to its input reaches neither the call nor another hook.
      .then(() => runner.run(copyJson(input), controller.signal, own))
      .then(
        (output) => finish(output, "success"),
        (error: unknown) => finish(failure(runner, event, error), "error"),
      );
  });
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

/** Tells of new output each second; returns what ends that. */
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

function expired({ name, timeoutMs, refusesOnTimeout, blocksOnFailure }: HookRunner, event: HookEvent): HookOutput {
  const problem = `${name} hook did not answer within ${timeoutMs / 1000} s`;
  if (blocksOnFailure === true) return { ...blockedOutput({}, event, name, problem), problem };
  if (refusesOnTimeout !== true) return { problem };
  if (event === "PreToolUse") return { problem, permission: { behavior: "deny", reason: `A ${event} ${problem}.` } };
  return event.startsWith("UserPrompt") ? { problem, blocking: `a ${problem}.` } : { problem };
}

function decisionOf({ preventContinuation, blocking, permission }: HookOutput): HookRecord["decision"] {
  if (preventContinuation !== undefined) return "stop";
  if (blocking !== undefined) return "block";
  return permission?.behavior ?? "none";
}
