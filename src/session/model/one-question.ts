/** A single question to a model that sees nothing else and has no tools. It is admitted and billed like every call. */
import { textTokens } from "../../context/measure.ts";
import { admitCall, callModel, type SummaryAnswer } from "../../context/model-call.ts";
import type { Message } from "../../protocol/message.ts";
import type { ModelInfo, ModelPort, ModelRequest, SystemBlock, ThinkingSetting } from "../../protocol/model.ts";
import type { BudgetPort } from "../../protocol/money.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import type { EffortOf } from "./question-effort.ts";

/** The model to ask, and the budget that pays. */
export interface QuestionContext {
  model: ModelPort;
  budget: BudgetPort;
  modelId: string;
  effortOf: EffortOf;
  sessionId: string;
}

export interface OneQuestion extends QuestionContext, Pick<ModelRequest, "key" | "maxTokens"> {
  /** Default: `side_question`. */
  querySource?: ModelRequest["querySource"];
  system: SystemBlock[];
  text: string;
  /** The messages from which `text` was made. */
  messages?: readonly Message[];
  /** Ask only if the budget can spare it. */
  spare?: true;
}

/** Returns null if the budget does not allow the question. */
export async function askModelOnce(question: OneQuestion, signal: AbortSignal): Promise<SummaryAnswer | null> {
  const { model, budget, modelId, effortOf, sessionId, key, system, text, messages = [], spare } = question;
  const info = model.info(modelId);
  const request: ModelRequest = {
    model: modelId,
    system,
    tools: [],
    messages: [{ role: "user", content: [{ type: "text", text }] }],
    cacheBreakpoints: [],
    maxTokens: Math.min(question.maxTokens, info.maxOutputTokens),
    thinking: minimalThinking(info),
    ...withoutUndefined({ effort: effortOf(modelId) }),
    querySource: question.querySource ?? "side_question",
    sessionId,
    key,
  };
  const estimated = system.reduce((sum, block) => sum + textTokens(block.text), textTokens(text));
  const admission = await admitCall({ model, budget }, request, messages, estimated, signal, spare);
  if (!admission.admitted) return null;
  return await callModel({ model, budget }, { ...request, maxTokens: admission.maxTokens }, admission.ticket, signal);
}

/** Returns the setting that turns thinking off, if the model can do without; otherwise nobody reads what it thinks. */
export function minimalThinking({ thinking }: ModelInfo): ThinkingSetting {
  return thinking === "adaptive_always" ? { type: "auto", display: "omitted" } : { type: "disabled" };
}
