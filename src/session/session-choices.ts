/** What went wrong with finding a session, for people: where several could be meant, a line for each. */
import { ago } from "../lib/figures.ts";
import { oneLine } from "../lib/sanitize.ts";
import { UsageError } from "../lib/usage-error.ts";
import type { TranscriptError } from "../transcript/index.ts";

const mostChoices = 20;

/** `now`: ms since the epoch. */
export function usageErrorOf(error: TranscriptError, now: number): UsageError {
  const shown = error.candidates.slice(0, mostChoices);
  const choices = shown.map(({ sessionId, modifiedAt, title, firstPrompt = "", cwd = "" }) => {
    const name = oneLine(title ?? firstPrompt, 60);
    return `${sessionId}  ${ago(now - modifiedAt).padEnd(12)}  ${name === "" ? "(nothing said)" : name}  ${oneLine(cwd, 60)}`;
  });
  const others = error.candidates.length - shown.length;
  if (others > 0) choices.push(`and ${others} more: pawl sessions lists them`);
  return new UsageError(error.message, { cause: error, choices });
}
