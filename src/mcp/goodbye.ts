/** What is done last with a server that may not listen any more. */
import type { McpClock } from "./world.ts";

const goodbyeMs = 1_000;

/** Waits for it, but not for long; how it ends says nothing. */
export async function goodbye(clock: McpClock, end: () => unknown): Promise<void> {
  const { promise: waited, resolve } = Promise.withResolvers<void>();
  const stop = clock.timer(goodbyeMs, resolve);
  await Promise.race([Promise.allSettled([(async () => end())()]), waited]);
  stop();
}
