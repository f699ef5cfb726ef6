/** Asks the model for hooks of type `prompt` and `agent`. */
import type { AskModel } from "../../hooks/model-hook.ts";
import { askModelOnce } from "../model/one-question.ts";
import { questionEffort } from "../model/question-effort.ts";
import type { HookModelParts } from "./hook-model-parts.ts";

export function createModelAsker(parts: HookModelParts): AskModel {
  let questionCount = 0;
  return async (question, signal) => {
    questionCount += 1;
    const key = `hook.${questionCount}`;
    const { prompt, type, model } = question;
    const modelId = model === undefined ? parts.models.smallModel() : parts.models.resolveModel(model);
    if (type === "prompt") return await askPrompt(parts, { prompt, modelId, key }, signal);
    const { askAgent } = await import("./hook-agent.ts");
    return await askAgent(parts, { prompt, modelId, key }, signal);
  };
}

const maxTokens = 1_024;

async function askPrompt(
  { model, models, selected, budget, sessionId }: HookModelParts,
  { prompt: text, modelId, key }: { prompt: string; modelId: string; key: string },
  signal: AbortSignal,
): Promise<string> {
  const effortOf = questionEffort({ models, selected });
  const question = { model, budget, modelId, effortOf, sessionId, key, system: [], text, maxTokens };
  const answer = await askModelOnce({ ...question, querySource: "hook" }, signal);
  if (answer === null) throw new Error("the budget does not allow a call of the model");
  if (!answer.outcome.ok) throw new Error(`the model could not be asked (${answer.outcome.failure.message})`);
  return answer.text;
}
