/** How long a command may take in the foreground. */
import { environmentNumber, type Variables } from "../variables.ts";

/** ms: what was asked for, within the user's bounds. */
export function timeoutOf(input: { timeout?: number }, environment: Variables): number {
  const usual = environmentNumber(environment, "BASH_DEFAULT_TIMEOUT_MS", 120_000);
  const most = Math.max(usual, environmentNumber(environment, "BASH_MAX_TIMEOUT_MS", 600_000));
  return Math.min(input.timeout ?? usual, most);
}
