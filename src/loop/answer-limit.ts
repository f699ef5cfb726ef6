/** The longest answer of each model: learned when a server refuses the requested answer length rather than the prompt. */
import type { ModelFailure, ModelInfo } from "../protocol/model.ts";
import type { Run } from "./run.ts";

/** Returns the longest answer the model may give, according to the catalogue and the server. */
export function maxAnswerTokens(run: Run, { id, maxOutputTokens }: Pick<ModelInfo, "id" | "maxOutputTokens">): number {
  return Math.min(maxOutputTokens, learnedAnswerLimit(run, id));
}

/** Returns the answer limit learned from the server, tokens; Infinity if none. */
export function learnedAnswerLimit({ memory, coveredAnswers }: Run, model: string): number {
  return Math.min(memory.answerLimits.get(model) ?? Infinity, coveredAnswers.get(model) ?? Infinity);
}

/** Learns the limit from a refusal. With status 402 the limit is what the remaining credit covers, not the model's. */
export function learnAnswerLimit(run: Run, model: string, limit: number, { status }: ModelFailure): void {
  const limits = status === 402 ? run.coveredAnswers : run.memory.answerLimits;
  limits.set(model, limit);
}
