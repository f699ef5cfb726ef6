/**
 * The Hook port: all runners that match an event run side by side, each with its own limit, and their answers are merged.
 * A hook that throws, hangs or answers nonsense is a notice and a pass, unless it is a guard: it never hangs a turn.
 */
import type { HookAnswer, HookEvent, HookInput, HookPort } from "../protocol/hook.ts";
import type { NoticeMessage } from "../protocol/message.ts";
import { matchesHook, matcherProblem } from "./matcher.ts";
import { mergeAnswers } from "./merge.ts";
import { readHookOutput, type HookOutput } from "./output.ts";

/** One configured hook, whatever its type: a function now, commands and others beside it. */
export interface HookRunner {
  /** For people: `function`, a command line, a URL. */
  name: string;
  matcher?: string;
  timeoutMs: number;
  /** Where it does not answer in time, the call or the prompt it was asked about is refused: the convention for callbacks. */
  refusesOnTimeout?: boolean;
  /** Must end soon after `signal` aborts; what it returns is read as the public convention's JSON. */
  run(input: HookInput & Record<string, unknown>, signal: AbortSignal): Promise<unknown>;
}

export interface HookDependencies {
  clock: { timer(ms: number, onFire: () => void): () => void; timestamp(): string };
  ids: { uuid(): string };
  /** `session_id`, `transcript_path`, `cwd`, `permission_mode`. */
  common(): Record<string, unknown>;
}

export type OwnedHooks = HookPort & {
  /** Waits for detached runs, at most so long; what is still running then is aborted. */
  drain(limitMs: number): Promise<void>;
};

export function createHooks(
  runners: Partial<Record<HookEvent, readonly HookRunner[]>>,
  dependencies: HookDependencies,
): OwnedHooks {
  const detached = new Set<Promise<unknown>>();
  const owner = new AbortController();
  const told = new Set<string>();
  const run = async (input: HookInput, signal: AbortSignal): Promise<HookAnswer> => {
    const all = runners[input.hook_event_name] ?? [];
    const notices = all.flatMap((runner) => invalidMatcher(runner, told, dependencies));
    const matching = all.filter((runner) => matchesHook(runner.matcher, input));
    if (matching.length === 0) return { ...mergeAnswers([]), notices };
    const full = { ...dependencies.common(), ...input };
    const outputs = await Promise.all(matching.map((runner) => runOne(runner, full, signal, dependencies)));
    const answer = mergeAnswers(outputs);
    return { ...answer, notices: [...notices, ...outputs.flatMap((output) => noticesOf(output, input, dependencies))] };
  };
  const runSafely = async (input: HookInput, signal: AbortSignal): Promise<HookAnswer> => {
    try {
      return await run(input, signal);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return {
        ...mergeAnswers([]),
        notices: [notice(`${input.hook_event_name} hooks could not be run: ${why}.`, dependencies)],
      };
    }
  };
  return {
    has: (event) => (runners[event]?.length ?? 0) > 0,
    run: runSafely,
    runDetached(input) {
      const work = runSafely(input, owner.signal).finally(() => detached.delete(work));
      detached.add(work);
    },
    async drain(limitMs) {
      if (detached.size === 0) return;
      // What is still running at the limit is told to end, and no longer waited for.
      const stop = dependencies.clock.timer(limitMs, () => owner.abort("drain"));
      await Promise.all(detached);
      stop();
    },
  };
}

function invalidMatcher(runner: HookRunner, told: Set<string>, dependencies: HookDependencies): NoticeMessage[] {
  const problem = matcherProblem(runner.matcher);
  if (problem === undefined || told.has(runner.matcher ?? "")) return [];
  told.add(runner.matcher ?? "");
  return [notice(`The hook matcher ${JSON.stringify(runner.matcher)} matches nothing: ${problem}`, dependencies)];
}

/** Settles at the hook's answer, at its limit, or at once when the caller's signal aborts. */
function runOne(
  runner: HookRunner,
  input: HookInput & Record<string, unknown>,
  signal: AbortSignal,
  { clock }: HookDependencies,
): Promise<HookOutput> {
  const controller = new AbortController();
  return new Promise((resolve) => {
    const finish = (output: HookOutput): void => {
      stop();
      signal.removeEventListener("abort", onAbort);
      resolve(output);
    };
    const onAbort = (): void => {
      controller.abort(signal.reason);
      finish({});
    };
    const stop = clock.timer(runner.timeoutMs, () => {
      controller.abort("timeout");
      finish(expired(runner, input.hook_event_name));
    });
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) return onAbort();
    Promise.resolve()
      // A copy each: what a hook does to its input reaches neither the call nor another hook.
      .then(() => runner.run(structuredClone(input), controller.signal))
      .then(
        (raw) => finish(readHookOutput(raw, input.hook_event_name, runner.name)),
        (error: unknown) =>
          finish({ problem: `${runner.name} hook failed: ${error instanceof Error ? error.message : String(error)}` }),
      );
  });
}

function expired({ name, timeoutMs, refusesOnTimeout }: HookRunner, event: HookEvent): HookOutput {
  const problem = `${name} hook did not answer within ${Math.round(timeoutMs / 1000)} s`;
  if (refusesOnTimeout !== true) return { problem };
  if (event === "PreToolUse") return { problem, permission: { behavior: "deny", reason: `A ${event} ${problem}.` } };
  return event === "UserPromptSubmit" ? { problem, blocking: `a ${problem}.` } : { problem };
}

function noticesOf(output: HookOutput, input: HookInput, dependencies: HookDependencies): NoticeMessage[] {
  const { problem, systemMessage } = output;
  const pass = Object.keys(output).length === 1 ? "; it counts as a pass" : "";
  const texts = problem === undefined ? [] : [`${input.hook_event_name}: ${problem}${pass}.`];
  if (systemMessage !== undefined) texts.push(systemMessage);
  return texts.map((text) => notice(text, dependencies));
}

function notice(text: string, { ids, clock }: HookDependencies): NoticeMessage {
  return { type: "notice", uuid: ids.uuid(), timestamp: clock.timestamp(), level: "warning", name: "hook", text };
}
