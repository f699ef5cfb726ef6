/** Puts one question to the host: what the host is told, with a time limit, ended by an abort, and never left hanging. */
import { errorText } from "../lib/error-text.ts";
import { isRecord } from "../lib/is-record.ts";
import { onAbort } from "../lib/on-abort.ts";
import type { HookPermissionAnswer } from "../protocol/hook.ts";
import { withoutUndefined } from "../lib/without-undefined.ts";
import type {
  AskPermission,
  PermissionAnswer,
  PermissionQuestion,
  PermissionRequest,
  PermissionUpdate,
} from "../protocol/permission.ts";
import type { AskOutcome } from "./open-questions.ts";
import type { PermissionOptions, QuestionClock } from "./permission-options.ts";
import { answeredInput } from "./take-answer.ts";
import type { Ask } from "./judging/verdict.ts";

/** Asks once and resolves with the first outcome; an answer that arrives later is ignored. */
export function askOnce(
  ask: AskPermission,
  question: PermissionQuestion,
  limitMs: number,
  clock: QuestionClock,
  signal: AbortSignal,
): Promise<AskOutcome> {
  if (signal.aborted) return Promise.resolve({ kind: "cancelled" });
  const controller = new AbortController();
  return new Promise((resolve) => {
    const finish = (outcome: AskOutcome): void => {
      stopTimer();
      stopListening();
      resolve(outcome);
      // Withdraws the question from the screen unless it was answered there.
      if (outcome.kind !== "answered") controller.abort(outcome.kind);
    };
    const stopTimer = clock.timer(limitMs, () => finish({ kind: "expired" }));
    const stopListening = onAbort(signal, () => finish({ kind: "cancelled" }));
    askAndRead(ask, question, controller.signal).then(finish, (error: unknown) =>
      finish({ kind: "failed", text: errorText(error) }),
    );
  });
}

async function askAndRead(ask: AskPermission, question: PermissionQuestion, signal: AbortSignal): Promise<AskOutcome> {
  return readAnswer(await ask(question, signal));
}

/** Checks an answer before it is used. It may have crossed a JSON boundary, where null means absent. */
function readAnswer(answer: unknown): AskOutcome {
  const fields = Object(answer) as Partial<Record<"behavior" | "updatedInput" | "rule" | "updates", unknown>>;
  const { behavior } = fields;
  if (behavior === "deny") return { kind: "answered", answer: answer as PermissionAnswer };
  if (behavior !== "allow") return unreadableAnswer('is neither { behavior: "allow" } nor { behavior: "deny" }');
  const [updatedInput, rule, updates] = [fields.updatedInput, fields.rule, fields.updates].map(
    (part) => part ?? undefined,
  );
  if (updatedInput !== undefined && !isRecord(updatedInput))
    return unreadableAnswer("has an updatedInput that is not an object");
  if (rule !== undefined && typeof rule !== "string") return unreadableAnswer("has a rule that is not a string");
  if (updates !== undefined && !Array.isArray(updates)) return unreadableAnswer("has updates that are not an array");
  const parts = withoutUndefined({ updatedInput, rule, updates: updates as PermissionUpdate[] | undefined });
  return { kind: "answered", answer: { behavior, ...parts } };
}

function unreadableAnswer(why: string): AskOutcome {
  return { kind: "failed", text: `the answer ${why}` };
}

/** Whether a hook's consent counts: it cannot replace a person's, except by giving the answers that the call asks for. */
export function acceptsHookAnswer(
  request: PermissionRequest,
  verdict: Ask,
  answer: HookPermissionAnswer,
  { isAnswered = () => true }: Pick<PermissionOptions, "isAnswered">,
): boolean {
  if (!verdict.isFirm) return true;
  const input = answer.behavior === "allow" ? answeredInput(request, verdict, answer.updatedInput) : undefined;
  return verdict.takesInput === true && input !== undefined && isAnswered(request.toolName, input);
}

/** The part of a question that comes from the verdict. */
export function questionDetails({ reason, why, takesInput }: Ask): Omit<PermissionQuestion, keyof PermissionRequest> {
  return {
    reason,
    ...(reason.type === "mode" ? { why } : {}),
    ...(takesInput === true ? { requiresUserInteraction: true } : {}),
  };
}

export function unansweredReason(outcome: Exclude<AskOutcome, { kind: "answered" }>, limitMs: number): string {
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
