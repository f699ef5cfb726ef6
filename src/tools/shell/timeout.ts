/** How long a command may take. */
import { environmentNumber, type Variables } from "../variables.ts";

interface Bounds {
  /** ms, where the call does not say. */
  usual: number;
  most: number;
}

/** In the foreground: the user's bounds. */
export function timeouts(environment: Variables): Bounds {
  const usual = environmentNumber(environment, "BASH_DEFAULT_TIMEOUT_MS", 120_000);
  return { usual, most: Math.max(usual, environmentNumber(environment, "BASH_MAX_TIMEOUT_MS", 600_000)) };
}

/** In the background, by convention. `most`: what an agent's may take at most, ms. */
export function lifetimes(most = Infinity): Bounds {
  return { usual: Math.min(1_800_000, most), most: Math.min(7_200_000, most) };
}

/** ms: what was asked for, within the user's bounds. */
export function timeoutOf(input: { timeout?: number }, environment: Variables): number {
  const { usual, most } = timeouts(environment);
  return Math.min(input.timeout ?? usual, most);
}
