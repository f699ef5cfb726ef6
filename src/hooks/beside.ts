/**
 * Commands that say while they run that nobody is to wait for them: by convention their first line is `{"async": true}`, with the ms they
 * may take as `asyncTimeout`.
 */
import { recordIn } from "../lib/json-in.ts";
import type { HookExit } from "./command-process.ts";

/** Undefined: it says nothing of the kind. */
export function besideOf(line: string): { limitMs?: number } | undefined {
  const said = objectIn(line);
  if (said?.["async"] !== true) return undefined;
  const { asyncTimeout: limitMs } = said;
  const isLimit = typeof limitMs === "number" && limitMs > 0;
  return isLimit ? { limitMs } : {};
}

/** The answer of such a command is the object behind that line, or the first line there that is one; the rest tells how it went. */
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
