/** How long the end of a session waits for its hooks. */
import { wholeNumber } from "../options/variables.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

/** Set by convention; settings and the environment may extend it. */
const sessionEndMs = 1_500;

/** `askedMs`: the longest timeout that settings give a SessionEnd hook. */
export function sessionEndLimitMs(env: Surroundings["env"], askedMs: number): number {
  return wholeNumber(env["CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS"]) ?? Math.max(sessionEndMs, askedMs);
}
