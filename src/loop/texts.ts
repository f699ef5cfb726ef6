/** Texts of the loop for the model and users. A replay reads some of them in a recording. Tests assert on reasons, never on these texts. */
import type { CancelCause } from "../protocol/stop.ts";

export const interruptedWhileAnswering = "[Request interrupted by user]";
export const interruptedDuringTools = "[Request interrupted by user for tool use]";

export const resumeAfterTruncation =
  "Your last message was cut off by the output limit. Continue exactly where it stopped, in the middle of the thought if need be: no apology, no recap. Break what is left into smaller pieces.";

export const continueAfterOverflow = "Continue from where you left off.";

export const deferredCall = "A hook has deferred this call: it has not run. It is taken up when the session continues.";
export const deferralIgnored =
  "A PreToolUse hook deferred a call that was not the only call of its message; the usual permissions decide instead.";

export const hookDenied = "A PreToolUse hook denied this call.";
export const hookRefused = (why: string): string => `A hook refused this call: ${why}`;

export const outputIgnored = (tool: string): string =>
  `A PostToolUse hook replaced the output of ${tool} with a value it cannot have, so the model gets the tool's own output. Return text, blocks, or an object like tool_response.`;

/** A replay reads from these texts at which step a call was ended. */
export const siblingFailed = "Cancelled: another call of the same message failed.";
export const notRun = "It did not run.";
const permissionOpening = "Permission to use";
export const isNotPermitted = (text: string): boolean => text.includes(permissionOpening);
export const notPermitted = (tool: string, why: string): string =>
  `${permissionOpening} ${tool} was not given: ${why}.`;

export const noSuchTool = (name: string, instead?: string): string =>
  `No such tool available: ${name}${instead === undefined ? "" : `. ${instead}`}`;

export const refusedAnswer = (category: string | undefined): string =>
  `The model refused to answer${category === undefined ? "" : ` (${category})`}. Rephrase the request, or start a new session without what was refused.`;
export const categoryOfRefusal = (text: string): string | undefined => /refused to answer \((.*?)\)\./.exec(text)?.[1];

/** The id of the message that reports a full window. */
export const windowFullId = "error_window";

export const preparingRequest = "Preparing the request";
export const unexpectedFailure = (what: string, why: string): string => `${what} failed unexpectedly: ${why}`;

export const fieldsIgnored = (tool: string, fields: readonly string[]): string =>
  `[${tool} has no parameter ${fields.map((field) => JSON.stringify(field.slice(0, 80))).join(", ")}: ignored.]`;

export const numberTooLong = (digits: string): string =>
  `${digits.slice(0, 80)} has more digits than a number can hold here: it would become ${JSON.stringify(Number(digits))}. Nothing was done. Write it as a string, or use the rounded number if that will do.`;

export const callPosition = (nth: number, count: number, tool: string): string =>
  `call ${nth} of ${count}, ${tool.slice(0, 80)}`;

export function toolUseError(text: string): string {
  return `<tool_use_error>${text}</tool_use_error>`;
}

/** A subagent gets the same text as the main thread. */
export function stopHookFeedback({ event, reason }: { event: string; reason: string }): string {
  return `${event === "SubagentStop" ? "Stop" : event} hook feedback:\n${reason}`;
}

export function tokenBudgetNudge(spent: number, budget: number): string {
  const share = Math.floor((spent / budget) * 100);
  return `You have used ${spent} of the ${budget} tokens of work asked for (${share} %). If the task is not finished as well as it could be, go on working; do not summarise or ask.`;
}

/** Returns the budget stated in a nudge, tokens. */
export function budgetInNudge(text: string): number | undefined {
  const budget = /of the (\d+) tokens/.exec(text)?.[1];
  return budget === undefined ? undefined : Number(budget);
}

export function cancelledResult(cause: CancelCause | null, hasStarted: boolean): string {
  const isUser = cause === "user" || cause === "interrupt";
  const who =
    cause === null ? "The session could not go on" : isUser ? "The user interrupted this" : "The session ended";
  return hasStarted
    ? `${who} while the tool was running; it may have had part of its effect.`
    : `${who} before the tool ran. It had no effect.`;
}

const compactionIsOff =
  "Compaction is switched off; start a new session or switch it on (/compact, autoCompactEnabled).";

export function blockingLimit(estimated: number, limit: number, why = compactionIsOff): string {
  return `Prompt is too long: about ${estimated} tokens, and ${limit} fit. ${why}`;
}
