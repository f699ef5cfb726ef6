/** Waiting for the outside: always with a limit, always ended by a cancel, and named by an event where it lasts. */
import { rung } from "../lib/doorbell.ts";
import type { QueryEvent, WaitingEvent } from "../protocol/event.ts";
import type { ClockPort } from "./ports.ts";
import type { Run } from "./run.ts";

export type Bounded<T> =
  | { ok: true; value: T }
  | { ok: false; why: "timeout" | "cancelled" }
  | { ok: false; why: "threw"; error: unknown };

export interface Wait {
  key: string;
  on: WaitingEvent["on"];
  name: string;
  limitMs: number;
  /** Ends this wait besides the run's own cancellation: a call that its sibling cancelled. */
  signal?: AbortSignal;
  /** Where the waiting event goes; it is made only if the wait lasts. */
  announce?: (event: QueryEvent) => void;
}

const announceAfterMs = 100;

/**
 * Runs `work` with a signal of its own. Settles with its value, or at the limit, or `settleMs` after the signal's abort if
 * the work has not settled by itself by then; what it does later is no longer heard.
 */
export function bounded<T>(run: Run, wait: Wait, work: (signal: AbortSignal) => Promise<T>): Promise<Bounded<T>> {
  if (run.cancel.cause !== null || wait.signal?.aborted === true)
    return Promise.resolve({ ok: false, why: "cancelled" });
  const { clock } = run.ports;
  const controller = new AbortController();
  return new Promise((resolve) => {
    let gaveUp: "timeout" | "cancelled" | null = null;
    let stopTimer = (): void => {};
    let forgetCancel = (): void => {};
    const onSignal = (): void => giveUp("cancelled", wait.signal?.reason);
    const stopWatching = (): void => {
      stopTimer();
      forgetCancel();
      wait.signal?.removeEventListener("abort", onSignal);
    };
    const finish = (outcome: Bounded<T>): void => {
      stopWatching();
      resolve(gaveUp === null ? outcome : { ok: false, why: gaveUp });
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
    forgetCancel = run.cancel.onCancel((cause) => giveUp("cancelled", cause));
    wait.signal?.addEventListener("abort", onSignal);
    started(work, controller.signal).then(
      (value) => finish({ ok: true, value }),
      (error: unknown) => finish({ ok: false, why: "threw", error }),
    );
  });
}

async function started<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
  return work(signal);
}

/** Waits for what must be heard even after a cancel: a record being written. Null at the limit. */
export function limited<T>(clock: ClockPort, limitMs: number, pending: PromiseLike<T>): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const stopTimer = clock.timer(limitMs, () => resolve(null));
    pending.then(
      (value) => {
        stopTimer();
        resolve(value);
      },
      (error: unknown) => {
        stopTimer();
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}

/** The same where the loop itself waits: the wait is named while it lasts, not after it. */
export async function* boundedShown<T>(
  run: Run,
  wait: Wait,
  work: (signal: AbortSignal) => Promise<T>,
): AsyncGenerator<QueryEvent, Bounded<T>> {
  const announced: QueryEvent[] = [];
  const announce = (event: QueryEvent): void => {
    announced.push(event);
    run.doorbell.ring();
  };
  const settled = bounded(run, { ...wait, announce }, work);
  let isOver = false;
  try {
    for (;;) {
      const step = await run.doorbell.wait(settled);
      isOver = step !== rung;
      for (const event of announced.splice(0)) yield event;
      if (step !== rung) return step;
    }
  } finally {
    if (!isOver) {
      run.cancel.cancel("consumer");
      await settled;
    }
  }
}

/** The same for a generator of a port: its events pass through, its return value comes back. All its steps share the limit. */
export async function* boundedGenerator<E extends QueryEvent, R>(
  run: Run,
  wait: Wait,
  open: (signal: AbortSignal) => AsyncGenerator<E, R>,
): AsyncGenerator<QueryEvent, Bounded<R>> {
  const controller = new AbortController();
  const forget = run.cancel.onCancel((cause) => controller.abort(cause));
  const { clock } = run.ports;
  let generator: AsyncGenerator<E, R> | null = null;
  let limitMs = wait.limitMs;
  try {
    generator = open(controller.signal);
    for (;;) {
      const source = generator;
      const askedAt = clock.elapsed();
      const step = yield* boundedShown(run, { ...wait, limitMs }, (signal) => {
        signal.addEventListener("abort", () => controller.abort(signal.reason));
        return source.next();
      });
      if (!step.ok) return step;
      limitMs = Math.max(0, limitMs - (clock.elapsed() - askedAt));
      if (step.value.done === true) {
        generator = null;
        return { ok: true, value: step.value.value };
      }
      yield step.value.value;
    }
  } catch (error) {
    return { ok: false, why: "threw", error };
  } finally {
    forget();
    if (generator !== null) {
      controller.abort("closed");
      generator.return(undefined as R).catch(() => undefined);
    }
  }
}
