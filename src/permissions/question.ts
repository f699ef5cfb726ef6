/** One question to the host: what it is told, with a limit, ended by an abort, and never left hanging. */
import { errorText } from "../lib/error-text.ts";
import { isRecord } from "../lib/is-record.ts";
import type { HookPermissionAnswer } from "../protocol/hook.ts";
import { present } from "../lib/present.ts";
import type {
  AskPermission,
  PermissionAnswer,
  PermissionQuestion,
  PermissionRequest,
  PermissionUpdate,
} from "../protocol/permission.ts";
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
    answered(ask, question, controller.signal).then(finish, (error: unknown) =>
      finish({ kind: "failed", text: errorText(error) }),
    );
  });
}

async function answered(ask: AskPermission, question: PermissionQuestion, signal: AbortSignal): Promise<Outcome> {
  return readAnswer(await ask(question, signal));
}

/** It may have come a long way as JSON, where null is what is not there. */
function readAnswer(answer: unknown): Outcome {
  const given = Object(answer) as Partial<Record<"behavior" | "updatedInput" | "rule" | "updates", unknown>>;
  const { behavior } = given;
  if (behavior === "deny") return { kind: "answered", answer: answer as PermissionAnswer };
  if (behavior !== "allow") return unread('is neither { behavior: "allow" } nor { behavior: "deny" }');
  const [updatedInput, rule, updates] = [given.updatedInput, given.rule, given.updates].map(
    (part) => part ?? undefined,
  );
  if (updatedInput !== undefined && !isRecord(updatedInput)) return unread("has an updatedInput that is no object");
  if (rule !== undefined && typeof rule !== "string") return unread("has a rule that is no text");
  if (updates !== undefined && !Array.isArray(updates)) return unread("has updates that are no list");
  const parts = present({ updatedInput, rule, updates: updates as PermissionUpdate[] | undefined });
  return { kind: "answered", answer: { behavior, ...parts } };
}

function unread(why: string): Outcome {
  return { kind: "failed", text: `the answer ${why}` };
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
