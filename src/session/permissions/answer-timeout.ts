/** Questions of the model that nobody answers in time: the call continues without an answer and says how long it waited. */
import { askOnce } from "../../permissions/ask-once.ts";
import type { QuestionClock } from "../../permissions/permission-options.ts";
import type { AskPermission } from "../../protocol/permission.ts";
import type { Settings } from "../../settings/settings.ts";
import { questionTool } from "../../tools/questions.ts";

/** ms */
const timeoutsMs = { "60s": 60_000, "5m": 300_000, "10m": 600_000, never: undefined } as const;

export function withAnswerTimeout(
  ask: AskPermission,
  { askUserQuestionTimeout = "never" }: Pick<Settings, "askUserQuestionTimeout">,
  clock: QuestionClock,
): AskPermission {
  const afkTimeoutMs = timeoutsMs[askUserQuestionTimeout];
  if (afkTimeoutMs === undefined) return ask;
  return async (question, signal) => {
    if (question.toolName !== questionTool) return await ask(question, signal);
    const outcome = await askOnce(ask, question, afkTimeoutMs, clock, signal);
    if (outcome.kind === "answered") return outcome.answer;
    if (outcome.kind === "expired") return { behavior: "allow", updatedInput: { ...question.input, afkTimeoutMs } };
    throw new Error(outcome.kind === "failed" ? outcome.text : "the run was cancelled");
  };
}
