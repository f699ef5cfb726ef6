import { existsSync, readFileSync } from "node:fs";

/** Whether the file holds a complete line. A shell creates a file before it writes to it. */
export function hasCompleteLine(path: string): boolean {
  return existsSync(path) && readFileSync(path, "utf8").endsWith("\n");
}

/**
 * Repeats an attempt with growing time limits until it returns true. A limit can only end work that has begun, and how long that takes depends on
 * the machine. The test's own limit ends the attempts.
 */
export async function withGrowingLimit(firstMs: number, attempt: (ms: number) => Promise<boolean>): Promise<void> {
  let ms = firstMs;
  while (!(await attempt(ms))) ms *= 4;
}
