/** Errors in finding a session, in words for people: if several match, one line for each. */
import { formatAge } from "../../lib/format-figures.ts";
import { oneLine } from "../../lib/sanitize.ts";
import { UsageError, type UsageErrorCode } from "../../lib/usage-error.ts";
import { TranscriptError, type TranscriptErrorCode } from "../../transcript/index.ts";
import { reasonOf, systemCode } from "../../lib/system-reason.ts";

const maxChoices = 20;

const usageErrorCodes: Record<TranscriptErrorCode, UsageErrorCode> = {
  locked: "session_locked",
  not_found: "session_not_found",
  ambiguous: "session_ambiguous",
  exists: "session_exists",
  invalid_id: "usage",
  not_regular: "session_unreadable",
  too_large: "session_unreadable",
  newer: "session_unreadable",
  io: "session_unreadable",
};

/** Converts errors of the system and of transcripts to `UsageError`; returns others unchanged. `now`: ms since the epoch. */
export function openingError(error: unknown, now: number): unknown {
  if (error instanceof TranscriptError) return usageErrorOf(error, now);
  if (systemCode(error) === undefined) return error;
  const { path = "its file" } = error as NodeJS.ErrnoException;
  return new UsageError(`The session cannot be read at ${path}: ${reasonOf(error)}.`, {
    code: "session_unreadable",
    cause: error,
  });
}

/** `now`: ms since the epoch. */
function usageErrorOf(error: TranscriptError, now: number): UsageError {
  const shown = error.candidates.slice(0, maxChoices);
  const choices = shown.map(({ sessionId, modifiedAt, title, firstPrompt = "", cwd = "" }) => {
    const name = oneLine(title ?? firstPrompt, 60);
    return `${sessionId}  ${formatAge(now - modifiedAt).padEnd(12)}  ${name === "" ? "(nothing said)" : name}  ${oneLine(cwd, 60)}`;
  });
  const others = error.candidates.length - shown.length;
  if (others > 0) choices.push(`and ${others} more: pawl sessions lists them`);
  return new UsageError(error.message, { code: usageErrorCodes[error.code], cause: error, choices });
}
