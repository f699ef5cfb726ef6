/**
 * Implements the Hook port: all runners that match an event run side by side, each with its own time limit, and their answers are merged. A
 * hook that throws, hangs or returns nonsense yields a notice and, unless it is a guard, counts as a pass.
 */
import { errorText } from "../lib/error-text.ts";
import { PendingWork } from "../lib/pending-work.ts";
import type { HookAnswer, HookEvent, HookInput, HookPort } from "../protocol/hook.ts";
import { hasLongText, shortenTexts } from "./long-texts.ts";
import {
  createHookNotice,
  matcherNotices,
  outputNotices,
  withoutDeferral,
  type NoticeDependencies,
} from "./hook-notices.ts";
import { withoutDuplicates, selectRunners } from "./select-hooks.ts";
import { mergeAnswers } from "./merge.ts";
import { defaultTimeoutMs } from "./handler.ts";
import { noReasonText, type HookOutput } from "./output.ts";
import { summariseRuns } from "./run-summaries.ts";
import { runHook, type FinishedHook, type HookResult } from "./run-hook.ts";
import type { HookDependencies, HookRecord, HookRunner } from "./runner.ts";

export type OwnedHooks = HookPort & {
  /** Like `runDetached`, for a caller that wants to know when the hooks have ended. Does not reject. */
  runInBackground(input: HookInput): Promise<void>;
  /** Like `runDetached`, with `limitMs` as the longest time limit of any hook. */
  runWithin(input: HookInput, limitMs: number): void;
  /** Waits for detached and async runs, at most `limitMs`; aborts what is still running then. */
  drain(limitMs: number): Promise<void>;
  /** Kills processes that hooks have started and that are still running, immediately and without waiting. */
  killNow(): void;
  /** Returns what async hooks said for the model since the last call. */
  takeLateOutput(): string[];
  /** Whether any event has hooks. */
  hasAny(): boolean;
  /** Returns the files that `FileChanged` hooks name, and those that hooks asked to watch. */
  watchedNames(): string[];
  /** How long hooks are configured to hold up the end of the session, ms; 0 if none is. */
  sessionEndMs(): number;
  /** Replaces the hooks that run from now on. Running hooks continue. */
  replace(runners: Runners): void;
  /** Events whose hooks were run. */
  readonly eventsRun: ReadonlySet<HookEvent>;
};

export type Runners = Partial<Record<HookEvent, readonly HookRunner[]>>;

export function createHooks(runners: Runners, dependencies: HookDependencies): OwnedHooks {
  return new Hooks(runners, { ...dependencies, reportedMatchers: dependencies.reportedMatchers ?? new Set() });
}

class Hooks implements OwnedHooks {
  #runners: Runners;
  readonly #dependencies: NoticeDependencies;
  /** Work that continues without anybody waiting for it. */
  readonly #backgroundWork = new PendingWork();
  readonly #killable = new Set<() => void>();
  #backgroundAbort = new AbortController();
  readonly eventsRun = new Set<HookEvent>();
  /** Runners that run only once and have run. Created with the first. */
  #onceRun: WeakSet<object> | undefined;
  #lateOutput: string[] = [];
  #watchPaths: readonly string[] = [];

  constructor(runners: Runners, dependencies: NoticeDependencies) {
    this.#runners = runners;
    this.#dependencies = dependencies;
  }

  has(event: HookEvent): boolean {
    return (this.#runners[event]?.length ?? 0) > 0;
  }

  limitMs(event: HookEvent): number | undefined {
    const longest = Math.max(0, ...(this.#runners[event] ?? []).map(({ timeoutMs }) => timeoutMs));
    return longest > defaultTimeoutMs ? longest : undefined;
  }

  sessionEndMs(): number {
    return Math.max(0, ...(this.#runners.SessionEnd ?? []).map(({ holdsEndMs = 0 }) => holdsEndMs));
  }

  async run(input: HookInput, signal: AbortSignal, limitMs?: number): Promise<HookAnswer> {
    try {
      return await this.#run(input, signal, limitMs);
    } catch (error) {
      const why = errorText(error);
      const text = `${input.hook_event_name} hooks could not be run: ${why}.`;
      return { ...mergeAnswers([]), notices: [createHookNotice(text, this.#dependencies)] };
    }
  }

  runDetached(input: HookInput): void {
    this.#backgroundWork.add(this.#runWithoutCaller(input));
  }

  runInBackground(input: HookInput): Promise<void> {
    const work = this.#runWithoutCaller(input);
    this.#backgroundWork.add(work);
    return work;
  }

  runWithin(input: HookInput, limitMs: number): void {
    this.#backgroundWork.add(this.#runWithoutCaller(input, limitMs));
  }

  async #runWithoutCaller(input: HookInput, limitMs?: number): Promise<void> {
    const { additionalContext } = await this.run(input, this.#backgroundAbort.signal, limitMs);
    this.#keepLateContext(input, additionalContext);
  }

  watchedNames(): string[] {
    const watchedNames = (this.#runners.FileChanged ?? []).flatMap(({ matcher = "" }) => matcher.split("|"));
    return [...watchedNames, ...this.#watchPaths].filter((name) => name.trim() !== "");
  }

  hasAny(): boolean {
    return Object.keys(this.#runners).length > 0;
  }

  replace(runners: Runners): void {
    this.#runners = runners;
    this.#dependencies.onWatchedFilesChange?.();
  }

  #setWatchPaths(paths: readonly string[]): void {
    this.#watchPaths = paths;
    this.#dependencies.onWatchedFilesChange?.();
  }

  /** Keeps the answer of the one event whose answer is for the model although nobody waits for it. */
  #keepLateContext({ hook_event_name: event }: HookInput, contexts: readonly string[]): void {
    if (event === "PostModelSwitch") this.#lateOutput.push(...contexts);
  }

  takeLateOutput(): string[] {
    this.#dependencies.waking?.noteDelivery();
    return this.#lateOutput.splice(0);
  }

  async drain(limitMs: number): Promise<void> {
    if (this.#backgroundWork.isEmpty) return;
    // Runs past the limit are aborted and awaited. SessionEnd hooks start only later: they need a controller that is not aborted.
    const controller = this.#backgroundAbort;
    const stop = this.#dependencies.clock.timer(limitMs, () => controller.abort("drain"));
    await this.#backgroundWork.settled();
    stop();
    if (controller.signal.aborted && this.#backgroundAbort === controller)
      this.#backgroundAbort = new AbortController();
  }

  killNow(): void {
    for (const kill of this.#killable) kill();
  }

  #keepKillable(kill: () => void): () => void {
    this.#killable.add(kill);
    return () => void this.#killable.delete(kill);
  }

  async #run(input: HookInput, signal: AbortSignal, limitMs = Infinity): Promise<HookAnswer> {
    const dependencies = this.#dependencies;
    // No hook starts for a caller that has left.
    if (signal.aborted) return mergeAnswers([]);
    this.eventsRun.add(input.hook_event_name);
    const all = this.#runners[input.hook_event_name] ?? [];
    const notices = all.flatMap(({ matcher }) => matcherNotices(matcher, input, dependencies));
    if (all.length === 0) return { ...mergeAnswers([]), notices };
    // Some events are matched on a field that every hook input has.
    const full = { ...dependencies.common(input), ...input };
    const selected = await selectRunners(all, full);
    const matching = withoutDuplicates(selected.filter((runner) => !this.#hasRunOnce(runner)));
    if (matching.length === 0) return { ...mergeAnswers([]), notices };
    const started = await Promise.all(
      matching.map((runner) => this.#startHook(withTimeLimit(runner, limitMs), full, signal)),
    );
    const fullOutputs = started.map(({ output }) => output);
    for (const { terminalSequence } of fullOutputs)
      if (terminalSequence !== undefined) dependencies.toTerminal?.(terminalSequence);
    const outputs = fullOutputs.some(hasLongText) ? await this.#shortenOutputs(fullOutputs, signal) : fullOutputs;
    const answerNotices = outputs.flatMap((output) => outputNotices(output, input, dependencies));
    const { merged, ignored } = withoutDeferral(mergeAnswers(outputs), dependencies);
    if (merged.watchPaths !== undefined) this.#setWatchPaths(merged.watchPaths);
    if (eventsOutsideConversation.has(input.hook_event_name))
      for (const { text } of answerNotices) dependencies.showOutsideConversation?.(text);
    return { ...merged, notices: [...notices, ...answerNotices, ...ignored], ...summariseRuns(started, input) };
  }

  /** Whether a one-time runner has run. Marks it as run. */
  #hasRunOnce({ once }: HookRunner): boolean {
    if (once === undefined) return false;
    this.#onceRun ??= new WeakSet();
    const hasRun = this.#onceRun.has(once);
    this.#onceRun.add(once);
    return hasRun;
  }

  async #shortenOutputs(outputs: readonly HookOutput[], signal: AbortSignal): Promise<readonly HookOutput[]> {
    const keep = signal.aborted ? undefined : this.#dependencies.storeText;
    return await Promise.all(outputs.map((output) => shortenTexts(output, keep)));
  }

  async #startHook(
    runner: HookRunner,
    input: HookInput & Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<{ output: HookOutput; record?: HookRecord }> {
    const work = {
      dependencies: this.#dependencies,
      ending: (promise: Promise<void>) => this.#backgroundWork.add(promise),
      killable: (kill: () => void) => this.#keepKillable(kill),
    };
    if (runner.isAsync !== true) {
      const adopt = (finished: Promise<FinishedHook>): void => this.#backgroundWork.add(this.#awaitLateHook(finished));
      const detached = { signal: this.#backgroundAbort.signal, adopt };
      return runHook(runner, input, signal, mustAnswer(runner, input) ? work : { ...work, detached });
    }
    const ran = runHook(runner, input, this.#backgroundAbort.signal, work);
    this.#backgroundWork.add(runner.wakes === true ? this.#awaitWakingHook(ran, runner) : this.#awaitLateHook(ran));
    return { output: {} };
  }

  async #awaitLateHook(ran: Promise<HookResult>): Promise<void> {
    const { output } = await ran;
    await this.#addLateOutput(output);
  }

  async #addLateOutput(output: HookOutput): Promise<void> {
    const { additionalContext, systemMessage } = await shortenTexts(output, this.#dependencies.storeText);
    for (const text of [additionalContext, systemMessage]) if (text !== undefined) this.#lateOutput.push(text);
  }

  /** Waits for an async hook that may wake the session: on exit 2, its output goes to the model without waiting for the next prompt. */
  async #awaitWakingHook(ran: Promise<HookResult>, { name, wakeMessage }: HookRunner): Promise<void> {
    const { waking } = this.#dependencies;
    waking?.noteStart();
    const { output, record } = await ran;
    const { exitCode, stdout = "", stderr = "", outcome } = record ?? {};
    const hasWoken = exitCode === 2 && outcome !== "cancelled";
    const text = stderr.trim() || stdout.trim() || noReasonText(name);
    const wakeText = wakeMessage === undefined ? text : `${wakeMessage}\n${text}`;
    await this.#addLateOutput(hasWoken ? { additionalContext: wakeText } : output);
    waking?.noteEnd(hasWoken ? wakeText : undefined);
  }
}

/** Whether the caller cannot continue without this hook: a guard, or a hook that creates a worktree. */
function mustAnswer({ blocksOnFailure }: HookRunner, { hook_event_name: event }: HookInput): boolean {
  return blocksOnFailure === true || event === "WorktreeCreate";
}

/** These events have no place in the conversation: their hooks' messages for people are shown beside it. */
const eventsOutsideConversation: ReadonlySet<HookEvent> = new Set([
  "CwdChanged",
  "DirectoryAdded",
  "Elicitation",
  "ElicitationResult",
  "FileChanged",
  "PermissionDenied",
  "PermissionRequest",
  "PostModelSwitch",
  "PreModelSwitch",
  "SessionEnd",
]);

function withTimeLimit(runner: HookRunner, limitMs: number): HookRunner {
  return runner.timeoutMs <= limitMs ? runner : { ...runner, timeoutMs: limitMs };
}
