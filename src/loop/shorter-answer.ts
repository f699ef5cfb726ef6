/** A server refuses the length of the answer that was asked for, and not the prompt: a shorter one is asked for. */
import type { ModelFailure, ModelInfo } from "../protocol/model.ts";
import type { Run } from "./run.ts";

/** What the model may answer at most, as far as the catalogue and the server told. */
export function longestAnswer(run: Run, { id, maxOutputTokens }: Pick<ModelInfo, "id" | "maxOutputTokens">): number {
  return Math.min(maxOutputTokens, answerLimitOf(run, id));
}

/** What the server told, tokens; Infinity where it told nothing. */
export function answerLimitOf({ answerLimits, coveredAnswers }: Run, model: string): number {
  return Math.min(answerLimits.get(model) ?? Infinity, coveredAnswers.get(model) ?? Infinity);
}

/** From a refusal. What is left of a credit is another limit than the model's. */
export function learnAnswerLimit(run: Run, model: string, limit: number, { status }: ModelFailure): void {
  const limits = status === 402 ? run.coveredAnswers : run.answerLimits;
  limits.set(model, limit);
}
