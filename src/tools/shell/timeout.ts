/** How long a command may run. */
import { environmentNumber, type Variables } from "../variables.ts";

interface Bounds {
  /** The limit if the call names none, ms. */
  usual: number;
  most: number;
}

/** Limits in the foreground, from the user's variables. */
export function timeouts(environment: Variables): Bounds {
  const usual = environmentNumber(environment, "BASH_DEFAULT_TIMEOUT_MS", 120_000);
  return { usual, most: Math.max(usual, environmentNumber(environment, "BASH_MAX_TIMEOUT_MS", 600_000)) };
}

/** Limits in the background, by convention. `most`: an agent's upper limit, ms. */
export function lifetimes(most = Infinity): Bounds {
  return { usual: Math.min(1_800_000, most), most: Math.min(7_200_000, most) };
}

/** The requested timeout within the user's limits, ms. */
export function timeoutOf(input: { timeout?: number }, environment: Variables): number {
  const { usual, most } = timeouts(environment);
  return Math.min(input.timeout ?? usual, most);
}
