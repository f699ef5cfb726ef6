/** The last step with a server that may not be listening any more. */
import { withTimeLimit } from "../lib/with-time-limit.ts";
import type { McpClock } from "./world.ts";

const closeLimitMs = 1_000;

/** Waits for `end`, but not for long; its outcome does not matter. */
export async function closeWithinLimit(clock: McpClock, end: () => unknown): Promise<void> {
  await withTimeLimit(clock, closeLimitMs, Promise.allSettled([(async () => end())()]));
}
