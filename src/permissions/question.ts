/** One question to the host: with a limit, ended by an abort, and never left hanging. */
import { errorText } from "../lib/error-text.ts";
import type { AskPermission, PermissionAnswer, PermissionQuestion } from "../protocol/permission.ts";

export interface QuestionClock {
  /** Calls back once after `ms`; returns what cancels it. */
  timer(ms: number, onFire: () => void): () => void;
}

export type Outcome =
  | { kind: "answered"; answer: PermissionAnswer }
  | { kind: "expired" | "cancelled" }
  | { kind: "failed"; text: string };

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
  const updated = "updatedInput" in value ? value.updatedInput : undefined;
  return updated === undefined || (typeof updated === "object" && updated !== null && !Array.isArray(updated));
}
