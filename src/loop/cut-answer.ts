/** An answer without tool calls that was cut: at the end of the window, which making room may solve, or at its own limit. */
import { ignoreRejection } from "../lib/fire-and-forget.ts";
import type { ModelFailure, ModelOutcome } from "../protocol/model.ts";
import { totalInputTokens, type Usage } from "../protocol/usage.ts";
import { canEscalate } from "./decide.ts";
import type { FactOf } from "./fact.ts";
import { wantedOutputTokens } from "./prepare.ts";
import type { Run } from "./run.ts";
import { recordNote } from "./run-note.ts";
import { sampledFields, type Sampling } from "./sampling.ts";
import { maxAnswerTokens } from "./answer-limit.ts";
import type { State } from "./state.ts";

/** A call as the budget admitted it. */
export interface AdmittedModelCall {
  ticket: string;
  maxTokens: number;
  lowered: boolean;
  requestBytes: number;
}

type Outcome = Extract<ModelOutcome, { ok: true }>;

/** Returns the fact for a cut answer; null if nothing was cut. */
export function cutAnswerFact(
  run: Run,
  sampling: Sampling,
  outcome: Outcome,
  admitted: AdmittedModelCall,
  state: State,
): FactOf<"overflowed"> | FactOf<"truncated"> | null {
  if (outcome.stopReason === "model_context_window_exceeded") {
    const actualTokens = filledWindowTokens(outcome.usage, admitted);
    if (actualTokens !== undefined) ignoreRejection(run.ports.context.setWindow?.(sampling.model, actualTokens));
    return actualTokens === undefined ? overflowedFact(sampling) : { ...overflowedFact(sampling), actualTokens };
  }
  if (outcome.stopReason !== "max_tokens" && outcome.partialToolUse !== true) return null;
  const truncated = truncatedFact(run, sampling, admitted, state);
  if (!isWindowFull(run, sampling, admitted, state) || canEscalate(state, truncated, run.limits)) return truncated;
  return { ...overflowedFact(sampling), cut: { ...truncated, outputTokens: 0 } };
}

/** Whether the window has no room for more, and left so little that a continued answer would soon be cut there again. */
function isWindowFull(run: Run, { model }: Sampling, { maxTokens, lowered }: AdmittedModelCall, state: State): boolean {
  const wanted = wantedOutputTokens(state, run, run.ports.model.info(model));
  return !lowered && maxTokens < wanted && maxTokens < run.limits.outputTokensDefault * littleRoomShare;
}

/** As a share of the default output limit. */
const littleRoomShare = 0.25;

function overflowedFact(sampling: Sampling): FactOf<"overflowed"> {
  const failure: ModelFailure = {
    kind: "prompt_too_long",
    message:
      "The answer ran into the end of the context window, and making room did not help. Start a new session, or /compact first.",
    recovery: "overflow",
  };
  return { kind: "overflowed", ...sampledFields(sampling), media: false, failure };
}

/** No tokenizer averages more bytes per token over a whole request. */
const maxBytesPerToken = 32;

/** Returns the tokens that filled the window. Undefined if the server counted nothing of the request, or left out what was cached. */
function filledWindowTokens(usage: Usage, { requestBytes }: AdmittedModelCall): number | undefined {
  const input = totalInputTokens(usage);
  return input * maxBytesPerToken < requestBytes ? undefined : input + usage.outputTokens;
}

function truncatedFact(run: Run, sampling: Sampling, admitted: AdmittedModelCall, state: State): FactOf<"truncated"> {
  const modelMaxTokens = maxAnswerTokens(run, run.ports.model.info(sampling.model));
  recordNote(run, { at: "cut", maxTokens: admitted.maxTokens, modelMaxTokens, isLowered: admitted.lowered });
  const cap = admitted.lowered
    ? "ledger"
    : state.maxOutputTokensOverride !== null
      ? "escalated"
      : run.config.maxOutputTokens === undefined
        ? "default"
        : "custom";
  const message = `The answer was longer than the output limit of ${admitted.maxTokens} tokens, and asking the model to go on in pieces did not end it. Ask for less at once, or raise the limit.`;
  return {
    kind: "truncated",
    ...sampledFields(sampling),
    targets: sampling.shownMessages.map((block) => block.uuid),
    maxTokens: admitted.maxTokens,
    modelMaxTokens,
    cap,
    failure: { kind: "max_output_tokens", message },
  };
}
