/** The model that hooks of the kinds `prompt` and `agent` ask. */
import { admit, call } from "../../context/model-call.ts";
import { textTokens } from "../../context/measure.ts";
import type { AskModel } from "../../hooks/model-hook.ts";
import type { ModelRequest } from "../../protocol/model.ts";
import type { HookModelParts } from "./hook-model-parts.ts";

export function modelAsker(parts: HookModelParts): AskModel {
  let asked = 0;
  return async (question, signal) => {
    asked += 1;
    const key = `hook.${asked}`;
    const { prompt, type, model } = question;
    const modelId = model === undefined ? parts.models.smallModel() : parts.models.resolveModel(model);
    if (type === "prompt") return await askOnce(parts, { prompt, modelId, key }, signal);
    const { askAgent } = await import("./hook-agent.ts");
    return await askAgent(parts, { prompt, modelId, key }, signal);
  };
}

const maxTokens = 1_024;

/** Admitted and billed like every call. */
async function askOnce(
  { model, budget, sessionId }: HookModelParts,
  { prompt, modelId, key }: { prompt: string; modelId: string; key: string },
  signal: AbortSignal,
): Promise<string> {
  const thinks = model.info(modelId).thinking === "adaptive_always";
  const request: ModelRequest = {
    model: modelId,
    system: [],
    tools: [],
    messages: [{ role: "user", content: [{ type: "text", text: prompt }] }],
    cacheBreakpoints: [],
    maxTokens: Math.min(maxTokens, model.info(modelId).maxOutputTokens),
    thinking: thinks ? { type: "auto" } : { type: "disabled" },
    querySource: "hook",
    sessionId,
    key,
  };
  const admission = await admit({ model, budget }, request, [], textTokens(prompt), signal);
  if (!admission.admitted) throw new Error("the budget does not allow a call of the model");
  const paid = { ...request, maxTokens: admission.maxTokens };
  const { text, outcome } = await call({ model, budget }, paid, admission.ticket, signal);
  if (!outcome.ok) throw new Error(`the model could not be asked (${outcome.failure.message})`);
  return text;
}
