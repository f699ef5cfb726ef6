/** Texts that tell the model and the user about a refusal: what was refused, why, and what would allow it. */
import { errorText } from "../lib/error-text.ts";
import type { HookPermissionAnswer } from "../protocol/hook.ts";
import type { PermissionAnswer, PermissionDecision, PermissionRequest } from "../protocol/permission.ts";
import { oneLine, reveal } from "../lib/sanitize.ts";
import type { Ask, Verdict } from "./judging/verdict.ts";

const maxTargetLength = 300;

/** `Bash "npm test"`, `Write /srv/a.ts`. */
export function describeRequest({ toolName, subjects }: PermissionRequest): string {
  const [subject] = subjects;
  const tool = oneLine(toolName, 100);
  if (subject === undefined || subject.kind === "tool") return tool;
  const text = subject.kind === "command" ? subject.command : subject.path;
  const shown = oneLine(reveal(text), maxTargetLength);
  return subject.kind === "command" ? `${tool} "${shown}"` : `${tool} ${shown}`;
}

export function deniedText(request: PermissionRequest, verdict: Extract<Verdict, { behavior: "deny" }>): string {
  const advice =
    verdict.reason.type === "mode"
      ? "Go on reading, and say what you would do."
      : "Do not look for a way round it: go on without, or say why it is needed.";
  return `Permission denied: ${describeRequest(request)}: ${verdict.why}. ${advice}`;
}

export interface DenialContext {
  isHeadless: boolean;
  /** What refuses all questions (a mode or setting), even when somebody could be asked. */
  silencedBy: string | undefined;
}

/** The text for a call that needed a person's answer when nobody could be asked. */
export function nobodyToAskText(
  request: PermissionRequest,
  ask: Ask,
  { isHeadless, silencedBy }: DenialContext,
): string {
  const because =
    silencedBy !== undefined
      ? `${silencedBy} denies instead of asking`
      : isHeadless
        ? "nobody can be asked in a headless run"
        : "nobody is there to be asked";
  if (request.toolName === askUserTool)
    return `Nobody was asked: ${because}. Go on where that is safe whatever the user would answer, and tell them what you left open.`;
  const flags = ask.flags.map(singleLineFlag).join(" or ");
  const remedy = flags === "" ? "No flag allows it." : `To allow it, start pawl with ${flags}.`;
  return `Permission denied: ${describeRequest(request)}: ${ask.why}, and ${because}. ${remedy}`;
}

function singleLineFlag(flag: string): string {
  return reveal(flag).replaceAll("\n", " ");
}

/** A refusal by a person, or by a host that answers for one. */
export function personRefusal(
  request: PermissionRequest,
  { message, interrupt }: Extract<PermissionAnswer, { behavior: "deny" }>,
): PermissionDecision {
  const ends = interrupt === true ? { interrupt: true } : {};
  return { behavior: "deny", message: personRefusalText(request, message), reason: { type: "user" }, ...ends };
}

/** A refusal by a hook in a person's stead. */
export function hookRefusal(
  request: PermissionRequest,
  { message, interrupt, stops }: Extract<HookPermissionAnswer, { behavior: "deny" }>,
): PermissionDecision {
  const text = (message ?? stops ?? "").trim();
  const advice = text === "" ? ". Do not try it in another way: ask what to do instead." : ` and said: ${text}`;
  return {
    behavior: "deny",
    message: `A hook refused ${describeRequest(request)}${advice}`,
    reason: { type: "hook", text },
    ...(interrupt === true ? { interrupt } : {}),
    ...(stops === undefined ? {} : { stops }),
  };
}

/** The tool whose calls ask the user for an answer, not for permission. */
const askUserTool = "AskUserQuestion";

function personRefusalText(request: PermissionRequest, message: unknown): string {
  // From hosts without type checking, `message` may be anything; the refusal counts anyway.
  const reasonText = typeof message === "string" ? message.trim() : "";
  if (request.toolName === askUserTool)
    return reasonText === ""
      ? "The user declined to answer. Do not ask the same again: go on where that is safe whatever they would answer, or say what you need to know."
      : `The user declined to answer, and said: ${reasonText}`;
  if (reasonText !== "") return `The user refused ${describeRequest(request)} and said: ${reasonText}`;
  return `The user refused ${describeRequest(request)}. Do not try it in another way: ask what to do instead.`;
}

function unansweredText(request: PermissionRequest, why: string): string {
  if (request.toolName === askUserTool) return `The user gave no answer: ${why}.`;
  return `Permission denied: ${describeRequest(request)}: ${why}.`;
}

/** A refusal by the judge of the mode `auto`. `mayRetry`: a hook allows another try. */
export function judgeBlockText(request: PermissionRequest, reason: string, mayRetry: boolean): string {
  const advice = mayRetry
    ? "A hook says that you may try it again."
    : "Do not reach the same in another way: go on without it, or say why it is needed.";
  return `Permission denied: ${describeRequest(request)}: the judge of auto mode blocks it: ${reason}. ${advice}`;
}

/** Refuses a call that could not be asked about, or whose question was not answered. */
export function denyUnanswered(request: PermissionRequest, text: string): PermissionDecision {
  return { behavior: "deny", message: unansweredText(request, text), reason: { type: "unanswered", text } };
}

/** Refuses a call whose permission check threw. */
export function denyFailedCheck(error: unknown): PermissionDecision {
  const text = `the permission check failed (${errorText(error)})`;
  return { behavior: "deny", message: `Permission denied: ${text}.`, reason: { type: "safety", text } };
}
