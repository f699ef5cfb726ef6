/** How long the end of a session waits for its hooks. */
import { wholeNumber } from "../options/variables.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

/** By convention; settings and the environment may give them more. */
const sessionEndMs = 1_500;

/** `askedMs`: the most that one of them was given by settings. */
export function endLimitMs(env: Surroundings["env"], askedMs: number): number {
  return wholeNumber(env["CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS"]) ?? Math.max(sessionEndMs, askedMs);
}
