/** A piece of work within its time. */
import type { ContextEvent } from "../protocol/index.ts";
import { onAbort } from "../lib/on-abort.ts";
import type { World } from "./layer.ts";

/** Why a signal aborts at its limit. */
export const timeIsUp = "timeout";

interface Clocked {
  clock: Pick<World["clock"], "timer">;
}

interface LimitedSignal {
  signal: AbortSignal;
  /** Whether it was the limit that aborted it. */
  isLate(): boolean;
  end(): void;
}

/** A signal that aborts with `signal` and at the limit. Whoever makes one ends it. */
export function signalWithin({ clock }: Clocked, limitMs: number, signal: AbortSignal | undefined): LimitedSignal {
  const controller = new AbortController();
  let isLate = false;
  const forget = onAbort(signal, () => controller.abort(signal?.reason));
  const stop = clock.timer(limitMs, () => {
    isLate = true;
    controller.abort(timeIsUp);
  });
  return {
    signal: controller.signal,
    isLate: () => isLate && signal?.aborted !== true,
    end() {
      stop();
      forget();
    },
  };
}

/** `work`, which asks the model, with such a signal. `isLate` says afterwards whether it was the limit that ended it. */
export async function* withinLimit<R>(
  world: Clocked,
  limitMs: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => AsyncGenerator<ContextEvent, R>,
): AsyncGenerator<ContextEvent, { value: R; isLate: boolean }> {
  const within = signalWithin(world, limitMs, signal);
  try {
    const value = yield* work(within.signal);
    return { value, isLate: within.isLate() };
  } finally {
    within.end();
  }
}
