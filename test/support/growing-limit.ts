import { existsSync, readFileSync } from "node:fs";

/** Whether a line is in it: a shell makes a file before it writes into it. */
export function hasCompleteLine(path: string): boolean {
  return existsSync(path) && readFileSync(path, "utf8").endsWith("\n");
}

/**
 * What a limit ends has to have begun, and how long it takes to begin is up to the machine: it is tried with a longer limit each time until it
 * had. The test's own limit ends that.
 */
export async function withGrowingLimit(firstMs: number, attempt: (ms: number) => Promise<boolean>): Promise<void> {
  let ms = firstMs;
  while (!(await attempt(ms))) ms *= 4;
}
