/** Runs work with a time limit. */
import type { ContextEvent } from "../protocol/index.ts";
import { onAbort } from "../lib/on-abort.ts";
import type { World } from "./layer.ts";

/** The reason with which a signal aborts at its limit. */
export const timeLimitReason = "timeout";

interface WithClock {
  clock: Pick<World["clock"], "timer">;
}

interface LimitedSignal {
  signal: AbortSignal;
  /** Whether the limit caused the abort. */
  isLate(): boolean;
  end(): void;
}

/** Makes a signal that aborts with `signal` and at the limit. The caller must call `end`. */
export function createLimitedSignal(
  { clock }: WithClock,
  limitMs: number,
  signal: AbortSignal | undefined,
): LimitedSignal {
  const controller = new AbortController();
  let isLate = false;
  const forget = onAbort(signal, () => controller.abort(signal?.reason));
  const stop = clock.timer(limitMs, () => {
    isLate = true;
    controller.abort(timeLimitReason);
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

/** Runs `work`, which calls the model, with such a signal. `isLate` says whether the limit ended it. */
export async function* runWithinLimit<R>(
  world: WithClock,
  limitMs: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => AsyncGenerator<ContextEvent, R>,
): AsyncGenerator<ContextEvent, { value: R; isLate: boolean }> {
  const within = createLimitedSignal(world, limitMs, signal);
  try {
    const value = yield* work(within.signal);
    return { value, isLate: within.isLate() };
  } finally {
    within.end();
  }
}
