/** How long the end of a session waits for its hooks. */
import { wholeNumber } from "../options/variables.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

/** Set by convention; settings and the environment may extend it. */
const defaultEndLimitMs = 1_500;

/** `configuredMs`: the longest timeout that settings give a SessionEnd hook. */
export function sessionEndLimitMs(env: Surroundings["env"], configuredMs: number): number {
  return wholeNumber(env["CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS"]) ?? Math.max(defaultEndLimitMs, configuredMs);
}
