/** A server refuses the length of the answer that was asked for, and not the prompt: a shorter one is asked for. */
import type { ModelFailure, ModelInfo } from "../protocol/model.ts";
import { usefulAnswer } from "../protocol/useful-answer.ts";
import type { Run } from "./run.ts";
import type { Sampling } from "./sampling.ts";

/** What the model may answer at most, as far as the catalogue and the server told. */
export function longestAnswer(run: Run, { id, maxOutputTokens }: Pick<ModelInfo, "id" | "maxOutputTokens">): number {
  return Math.min(maxOutputTokens, answerLimitOf(run, id));
}

/** What the server told, tokens; Infinity where it told nothing. */
export function answerLimitOf({ answerLimits, coveredAnswers }: Run, model: string): number {
  return Math.min(answerLimits.get(model) ?? Infinity, coveredAnswers.get(model) ?? Infinity);
}

/** Whether the same may be asked for again with a shorter answer, which is noted then. What is asked otherwise is no retry. */
export function asksForLess(run: Run, sampling: Sampling, failure: ModelFailure): boolean {
  const isLess = failure.recovery === "output" ? isShorter(run, sampling, failure) : isLeftRoom(sampling, failure);
  if (isLess) sampling.attempt--;
  return isLess;
}

/** A server may give less each time: others spend the same credit. */
const mostShortened = 5;

function isShorter(run: Run, sampling: Sampling, { answerLimit = 0, status }: ModelFailure): boolean {
  const { model } = sampling;
  if (answerLimit <= 0 || answerLimit >= answerLimitOf(run, model) || sampling.shortened >= mostShortened) return false;
  sampling.shortened++;
  const limits = status === 402 ? run.coveredAnswers : run.answerLimits;
  limits.set(model, answerLimit);
  return true;
}

/** Once: a server that then refuses the same has counted otherwise than it said. */
function isLeftRoom(sampling: Sampling, { tokens }: ModelFailure): boolean {
  if (sampling.answerRoom !== null || tokens?.actual === undefined || tokens.answer === undefined) return false;
  const room = tokens.maximum - (tokens.actual - tokens.answer);
  if (room < usefulAnswer) return false;
  sampling.answerRoom = room;
  return true;
}
