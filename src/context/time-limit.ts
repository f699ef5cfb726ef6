/** A piece of work that asks the model, within its time. */
import type { ContextEvent } from "../protocol/index.ts";
import type { World } from "./layer.ts";

/** `work` with a signal that aborts at the limit too. `isLate` says afterwards whether it was the limit that ended it. */
export async function* withinLimit<R>(
  { clock }: Pick<World, "clock">,
  limitMs: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => AsyncGenerator<ContextEvent, R>,
): AsyncGenerator<ContextEvent, { value: R; isLate: boolean }> {
  const controller = new AbortController();
  let isLate = false;
  const forward = () => controller.abort(signal.reason);
  if (signal.aborted) forward();
  signal.addEventListener("abort", forward);
  const stop = clock.timer(limitMs, () => {
    isLate = true;
    controller.abort("timeout");
  });
  try {
    const value = yield* work(controller.signal);
    return { value, isLate: isLate && !signal.aborted };
  } finally {
    stop();
    signal.removeEventListener("abort", forward);
  }
}
