/**
 * Commands that declare while running that the session should not wait for them: by convention their first line is `{"async": true}`,
 * optionally with a limit in ms as `asyncTimeout`.
 */
import { recordIn } from "../lib/json-in.ts";
import type { HookExit } from "./command-process.ts";

/** Returns the limit such a line sets; undefined if the line does not declare this. */
export function besideOf(line: string): { limitMs?: number } | undefined {
  const said = objectIn(line);
  if (said?.["async"] !== true) return undefined;
  const { asyncTimeout: limitMs } = said;
  const isLimit = typeof limitMs === "number" && limitMs > 0;
  return isLimit ? { limitMs } : {};
}

/** Returns the exit with such a command's answer: the object after the first line, or the first later line that is one. */
export function saidAtEnd(exit: HookExit): HookExit {
  const [first = "", ...more] = exit.stdout.split("\n");
  if (besideOf(first) === undefined) return exit;
  const rest = more.join("\n");
  const answer = [rest, ...more].find((text) => objectIn(text) !== undefined) ?? "";
  return { ...exit, stdout: answer };
}

function objectIn(text: string): Record<string, unknown> | undefined {
  const trimmed = text.trim();
  return trimmed.startsWith("{") ? recordIn(trimmed) : undefined;
}
