/** The last step with a server that may not be listening any more. */
import type { McpClock } from "./world.ts";

const closeLimitMs = 1_000;

/** Waits for `end`, but not for long; its outcome does not matter. */
export async function closeWithinLimit(clock: McpClock, end: () => unknown): Promise<void> {
  const { promise: waited, resolve } = Promise.withResolvers<void>();
  const stop = clock.timer(closeLimitMs, resolve);
  await Promise.race([Promise.allSettled([(async () => end())()]), waited]);
  stop();
}
