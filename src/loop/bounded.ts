/** Waiting for anything outside: always with a limit, always ended by a cancel, and announced by an event if it takes long. */
import { errorText } from "../lib/error-text.ts";
import { rung } from "../lib/doorbell.ts";
import {
  closeSteps,
  runSteps,
  isPromise,
  rethrowIfLeft,
  stepsFromGenerator,
  Pending,
  waitFor,
  type Steps,
} from "../lib/steps.ts";
import { ignoreRejection } from "../lib/fire-and-forget.ts";
import type { QueryEvent, WaitingEvent } from "../protocol/event.ts";
import type { HookEvent } from "../protocol/hook.ts";
import type { Run } from "./run.ts";
import type { CallCancel } from "./cancel.ts";

export type Bounded<T> =
  | { ok: true; value: T }
  /** `lateResult`: the value the work returned after it was told to end. */
  | { ok: false; why: "timeout" | "cancelled"; lateResult?: T }
  | { ok: false; why: "threw"; error: unknown };

export type Unanswered<T = unknown> = Exclude<Bounded<T>, { ok: true }>;

export interface Wait {
  key: string;
  on: WaitingEvent["on"];
  name: string;
  limitMs: number;
  /** Ends this wait in addition to the run's own cancellation: the cancellation of one call. */
  cancel?: CallCancel;
  /** Receives the waiting event, which is made only if the wait lasts. */
  announce?: (event: QueryEvent) => void;
}

const announceAfterMs = 100;
/** Extra time for hooks to end once their own limit is over. */
const hookGraceMs = 60_000;
const cancelled = { ok: false, why: "cancelled" } as const;

/** Returns how long to wait for hooks of these events: at least as long as each of them may take. */
export function hookLimitMs({ ports, limits }: Run, ...events: HookEvent[]): number {
  const hookLimits = events.map((event) => ports.hooks.limitMs?.(event) ?? 0);
  const longest = Math.max(0, ...hookLimits);
  return longest === 0 ? limits.hookMs : Math.max(limits.hookMs, longest + hookGraceMs);
}

/**
 * Runs `work` with its own signal. Returns its value; or gives up at the limit or on a cancel, after allowing the work `settleMs` to settle
 * once the signal is aborted. What the work does later is ignored.
 */
export function* runBounded<T>(
  run: Run,
  wait: Wait,
  work: (signal: AbortSignal) => T | PromiseLike<T>,
): Steps<never, Bounded<T>> {
  const started = startWork(run, wait, work);
  return started.kind === "answered" ? started.answer : yield* waitFor(watchWork(run, wait, started));
}

type StartedWork<T> = { kind: "answered"; answer: Bounded<T> } | PendingWork<T>;

interface PendingWork<T> {
  kind: "working";
  controller: AbortController;
  promise: PromiseLike<T>;
}

function startWork<T>(run: Run, wait: Wait, work: (signal: AbortSignal) => T | PromiseLike<T>): StartedWork<T> {
  if (isCancelled(run, wait)) return { kind: "answered", answer: cancelled };
  const controller = run.unusedController ?? new AbortController();
  run.unusedController = null;
  let answer: T | PromiseLike<T>;
  try {
    answer = work(controller.signal);
  } catch (error) {
    return { kind: "answered", answer: { ok: false, why: "threw", error } };
  }
  if (isPromise(answer)) return { kind: "working", controller, promise: answer };
  // Finished work keeps no signal, so the controller can be reused.
  run.unusedController = controller;
  return { kind: "answered", answer: isCancelled(run, wait) ? cancelled : { ok: true, value: answer } };
}

function isCancelled(run: Run, { cancel }: Wait): boolean {
  return run.cancel.cause !== null || (cancel !== undefined && cancel.cause !== null);
}

function watchWork<T>(run: Run, wait: Wait, { controller, promise }: PendingWork<T>): Promise<Bounded<T>> {
  const { clock } = run.ports;
  return new Promise((resolve) => {
    let gaveUp: "timeout" | "cancelled" | null = null;
    let stopTimer = (): void => {};
    let forgetCancel = (): void => {};
    let forgetCall = (): void => {};
    const stopWatching = (): void => {
      stopTimer();
      forgetCancel();
      forgetCall();
    };
    const finish = (outcome: Bounded<T>): void => {
      stopWatching();
      if (gaveUp === null) resolve(outcome);
      else resolve({ ok: false, why: gaveUp, ...(outcome.ok ? { lateResult: outcome.value } : {}) });
    };
    const giveUp = (why: "timeout" | "cancelled", reason: unknown): void => {
      stopWatching();
      gaveUp = why;
      stopTimer = clock.timer(run.limits.settleMs, () => finish({ ok: false, why }));
      controller.abort(reason);
    };
    const expire = (): void => giveUp("timeout", "timeout");
    if (wait.announce === undefined || wait.limitMs <= announceAfterMs) stopTimer = clock.timer(wait.limitMs, expire);
    else {
      stopTimer = clock.timer(announceAfterMs, () => {
        wait.announce?.({ type: "waiting", key: wait.key, on: wait.on, name: wait.name, limitMs: wait.limitMs });
        stopTimer = clock.timer(wait.limitMs - announceAfterMs, expire);
      });
    }
    const onCancel = (cause: string): void => giveUp("cancelled", cause);
    forgetCancel = run.cancel.onCancel(onCancel);
    if (gaveUp === null && wait.cancel !== undefined) forgetCall = wait.cancel.onCancel(onCancel);
    promise.then(
      (value) => finish({ ok: true, value }),
      (error: unknown) => finish({ ok: false, why: "threw", error }),
    );
  });
}

/** Like `runBounded`, for when the loop itself waits: the wait is announced while it lasts, not after it. */
export function* runBoundedWithEvents<T>(
  run: Run,
  wait: Wait,
  work: (signal: AbortSignal) => T | PromiseLike<T>,
): Steps<QueryEvent, Bounded<T>> {
  const started = startWork(run, wait, work);
  if (started.kind === "answered") return started.answer;
  const announced: QueryEvent[] = [];
  const announce = (event: QueryEvent): void => {
    announced.push(event);
    run.doorbell.ring();
  };
  const settled = watchWork(run, { ...wait, announce }, started);
  let isOver = false;
  try {
    for (;;) {
      const step = yield* waitFor(run.doorbell.wait(settled));
      isOver = step !== rung;
      for (const event of announced.splice(0)) yield event;
      if (step !== rung) return step;
    }
  } finally {
    if (!isOver) {
      run.cancel.cancel("consumer");
      yield* waitFor(settled);
    }
  }
}

/** The reason there is no answer, for people. */
export function unansweredReason(answer: Unanswered): string {
  return answer.why === "threw" ? errorText(answer.error) : "no answer in time";
}

function withoutLateValue<T>(answer: Unanswered<T>): Unanswered<never> {
  return answer.why === "threw" ? answer : { ok: false, why: answer.why };
}

function stepWait({ key }: Wait, { name, limitMs }: { name: string; limitMs: number }, leftMs: number): Partial<Wait> {
  return { key: `${key}.${name}`, name, limitMs: Math.min(limitMs, leftMs) };
}

/**
 * Like `runBoundedWithEvents`, for steps of a port: passes their events on and returns their value. All their waits share the limit. Steps
 * that wait for nothing finish synchronously.
 */
export function* runBoundedSteps<E extends QueryEvent, R>(
  run: Run,
  wait: Wait,
  open: (signal: AbortSignal) => Steps<E, R>,
): Steps<QueryEvent, Bounded<R>> {
  const controller = run.unusedController ?? new AbortController();
  run.unusedController = null;
  const forget = run.cancel.onCancel((cause) => controller.abort(cause));
  const { clock } = run.ports;
  let steps: Steps<E, R> | null = null;
  let limitMs = wait.limitMs;
  let hasWaited = false;
  try {
    const opened = ignoreRejection(open(controller.signal));
    // An async generator would yield promises forever and never be done.
    if (!(Symbol.iterator in opened)) throw new TypeError("it gave no plain generator");
    steps = opened;
    let step = steps.next();
    while (step.done !== true) {
      if (step.value instanceof Pending) {
        hasWaited = true;
        const { promise, about } = step.value;
        const askedAt = clock.elapsed();
        const overrides = about === undefined ? { limitMs } : stepWait(wait, about, limitMs);
        const answer = yield* runBoundedWithEvents(run, { ...wait, ...overrides }, (signal) => {
          signal.addEventListener("abort", () => controller.abort(signal.reason));
          return promise;
        });
        limitMs = Math.max(0, limitMs - (clock.elapsed() - askedAt));
        if (answer.ok) step = steps.next(answer.value);
        else if (answer.why === "threw") step = steps.throw(answer.error);
        else {
          // If the run was already cancelled, nothing listens to the promise: a rejection must not go unhandled.
          promise.then(undefined, () => undefined);
          return withoutLateValue(answer);
        }
      } else {
        yield step.value;
        step = steps.next();
      }
    }
    steps = null;
    // Steps that finished synchronously keep no signal, so the controller can be reused.
    if (!hasWaited && !controller.signal.aborted) run.unusedController = controller;
    return { ok: true, value: step.value };
  } catch (error) {
    rethrowIfLeft(error);
    return { ok: false, why: "threw", error };
  } finally {
    forget();
    if (steps !== null) {
      controller.abort("closed");
      runSteps(closeSteps(steps)).catch(() => undefined);
    }
  }
}

/** Like `runBoundedSteps`, for an async generator of a port. */
export function runBoundedGenerator<E extends QueryEvent, R>(
  run: Run,
  wait: Wait,
  open: (signal: AbortSignal) => AsyncGenerator<E, R>,
): Steps<QueryEvent, Bounded<R>> {
  return runBoundedSteps(run, wait, (signal) => stepsFromGenerator(ignoreRejection(open(signal)), signal));
}
