/**
 * Commands that declare while running that the session should not wait for them: by convention their first line is `{"async": true}`,
 * optionally with a limit in ms as `asyncTimeout`.
 */
import { tryParseRecord } from "../lib/try-parse-json.ts";
import type { HookExit } from "./command-process.ts";

/** Returns the limit such a line sets; undefined if the line does not declare this. */
export function readAsyncDeclaration(line: string): { limitMs?: number } | undefined {
  const declaration = tryParseRecord(line.trim());
  if (declaration?.["async"] !== true) return undefined;
  const { asyncTimeout: limitMs } = declaration;
  const isLimit = typeof limitMs === "number" && limitMs > 0;
  return isLimit ? { limitMs } : {};
}

/** Returns the exit with such a command's answer: the object after the first line, or the first later line that is one. */
export function withAnswerAtEnd(exit: HookExit): HookExit {
  const [first = "", ...more] = exit.stdout.split("\n");
  if (readAsyncDeclaration(first) === undefined) return exit;
  const rest = more.join("\n");
  const answer = [rest, ...more].find((text) => tryParseRecord(text.trim()) !== undefined) ?? "";
  return { ...exit, stdout: answer };
}
