/** Waiting for the outside: always with a limit, always ended by a cancel, and named by an event where it lasts. */
import type { QueryEvent, WaitingEvent } from "../protocol/event.ts";
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
  /** Where the waiting event goes; it is made only if the wait lasts. */
  announce?: (event: QueryEvent) => void;
}

const announceAfterMs = 100;

/**
 * Runs `work` with a signal of its own. Settles with its value, or at the limit, or `settleMs` after the signal's abort if
 * the work has not settled by itself by then; what it does later is no longer heard.
 */
export function bounded<T>(run: Run, wait: Wait, work: (signal: AbortSignal) => Promise<T>): Promise<Bounded<T>> {
  if (run.cancel.cause !== null) return Promise.resolve({ ok: false, why: "cancelled" });
  const { clock } = run.ports;
  const controller = new AbortController();
  return new Promise((resolve) => {
    let stopTimer = (): void => {};
    let forgetCancel = (): void => {};
    const finish = (outcome: Bounded<T>): void => {
      stopTimer();
      forgetCancel();
      resolve(outcome);
    };
    const giveUp = (why: "timeout" | "cancelled", reason: unknown): void => {
      stopTimer();
      forgetCancel();
      controller.abort(reason);
      stopTimer = clock.timer(run.limits.settleMs, () => finish({ ok: false, why }));
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
    try {
      work(controller.signal).then(
        (value) =>
          finish(
            controller.signal.aborted
              ? { ok: false, why: run.cancel.cause === null ? "timeout" : "cancelled" }
              : { ok: true, value },
          ),
        (error: unknown) =>
          finish(
            controller.signal.aborted
              ? { ok: false, why: run.cancel.cause === null ? "timeout" : "cancelled" }
              : { ok: false, why: "threw", error },
          ),
      );
    } catch (error) {
      finish({ ok: false, why: "threw", error });
    }
  });
}

/** The same for a generator of a port: its events pass through, its return value comes back. */
export async function* boundedGenerator<E, R>(
  run: Run,
  wait: Wait,
  open: (signal: AbortSignal) => AsyncGenerator<E, R>,
): AsyncGenerator<E, Bounded<R>> {
  const controller = new AbortController();
  const forget = run.cancel.onCancel((cause) => controller.abort(cause));
  let generator: AsyncGenerator<E, R> | null = null;
  try {
    generator = open(controller.signal);
    for (;;) {
      const source = generator;
      const step = await bounded(run, wait, () => source.next());
      if (!step.ok) return step;
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
