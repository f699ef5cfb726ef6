/** How long a command may run. */
import type { Environment } from "../../lib/environment.ts";
import { environmentNumber } from "../variables.ts";

interface Bounds {
  /** The limit if the call names none, ms. */
  defaultMs: number;
  maxMs: number;
}

/** Limits in the foreground, from the user's variables. */
export function timeouts(environment: Environment): Bounds {
  const defaultMs = environmentNumber(environment, "BASH_DEFAULT_TIMEOUT_MS", 120_000);
  return {
    defaultMs,
    maxMs: Math.max(defaultMs, environmentNumber(environment, "BASH_MAX_TIMEOUT_MS", 600_000)),
  };
}

/** Limits in the background, by convention. `maxMs`: an agent's upper limit, ms. */
export function lifetimes(maxMs = Infinity): Bounds {
  return { defaultMs: Math.min(1_800_000, maxMs), maxMs: Math.min(7_200_000, maxMs) };
}

/** The requested timeout within the user's limits, ms. */
export function timeoutOf(input: { timeout?: number }, environment: Environment): number {
  const { defaultMs, maxMs } = timeouts(environment);
  return Math.min(input.timeout ?? defaultMs, maxMs);
}
