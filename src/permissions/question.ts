/** One question to the host: what it is told, with a limit, ended by an abort, and never left hanging. */
import { errorText } from "../lib/error-text.ts";
import { isRecord } from "../lib/is-record.ts";
import type { HookPermissionAnswer } from "../protocol/hook.ts";
import type { AskPermission, PermissionAnswer, PermissionQuestion, PermissionRequest } from "../protocol/permission.ts";
import type { Outcome } from "./open-questions.ts";
import type { PermissionOptions, QuestionClock } from "./permission-options.ts";
import { inputGiven } from "./take-answer.ts";
import type { Ask } from "./judging/verdict.ts";

/** What comes after the outcome is no longer heard. */
export function askOnce(
  ask: AskPermission,
  question: PermissionQuestion,
  limitMs: number,
  clock: QuestionClock,
  signal: AbortSignal,
): Promise<Outcome> {
  if (signal.aborted) return Promise.resolve({ kind: "cancelled" });
  const controller = new AbortController();
  return new Promise((resolve) => {
    const finish = (outcome: Outcome): void => {
      stopTimer();
      signal.removeEventListener("abort", onAbort);
      resolve(outcome);
      // Takes the question off the screen where it was not answered there.
      if (outcome.kind !== "answered") controller.abort(outcome.kind);
    };
    const onAbort = (): void => finish({ kind: "cancelled" });
    const stopTimer = clock.timer(limitMs, () => finish({ kind: "expired" }));
    signal.addEventListener("abort", onAbort);
    answered(ask, question, controller.signal).then(
      (answer) =>
        finish(
          isAnswer(answer) ? { kind: "answered", answer } : { kind: "failed", text: "the answer could not be read" },
        ),
      (error: unknown) => finish({ kind: "failed", text: errorText(error) }),
    );
  });
}

async function answered(
  ask: AskPermission,
  question: PermissionQuestion,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  return ask(question, signal);
}

function isAnswer(value: unknown): value is PermissionAnswer {
  if (typeof value !== "object" || value === null || !("behavior" in value)) return false;
  if (value.behavior === "deny") return true;
  if (value.behavior !== "allow") return false;
  const { updatedInput, rule } = value as { updatedInput?: unknown; rule?: unknown };
  return (updatedInput === undefined || isRecord(updatedInput)) && (rule === undefined || typeof rule === "string");
}

/** Whether a hook's consent counts: what only a person may permit, nothing permits in a person's stead. */
export function takesFromHook(
  request: PermissionRequest,
  verdict: Ask,
  answer: HookPermissionAnswer,
  { isAnswered = () => true }: Pick<PermissionOptions, "isAnswered">,
): boolean {
  if (!verdict.isFirm) return true;
  const input = answer.behavior === "allow" ? inputGiven(request, verdict, answer.updatedInput) : undefined;
  return verdict.takesInput === true && input !== undefined && isAnswered(request.toolName, input);
}

/** What whoever is asked is told of the verdict. */
export function toldOf({ reason, why, takesInput }: Ask): Omit<PermissionQuestion, keyof PermissionRequest> {
  return {
    reason,
    ...(reason.type === "mode" ? { why } : {}),
    ...(takesInput === true ? { requiresUserInteraction: true } : {}),
  };
}

export function unansweredWhy(outcome: Exclude<Outcome, { kind: "answered" }>, limitMs: number): string {
  switch (outcome.kind) {
    case "expired":
      return `nobody answered within ${Math.round(limitMs / 1000)} s`;
    case "cancelled":
      return "the run was cancelled while the question was open";
    case "failed":
      return `the question could not be put (${outcome.text})`;
    default:
      return outcome satisfies never;
  }
}
