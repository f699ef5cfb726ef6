/**
 * First stage: turns the conversation into a request, or reports that it is too long. Runs the layers of the context port, then builds the
 * request of this turn.
 */
import type { QueryEvent } from "../protocol/event.ts";
import type { ContextInput, FitResult } from "../protocol/context.ts";
import type { Message } from "../protocol/message.ts";
import type { ApiMessage, ModelInfo, ModelRequest, ThinkingSetting } from "../protocol/model.ts";
import { isTurnThinkingMissing, sendsThinkingBudget } from "../protocol/turn-thinking.ts";
import type { Steps } from "../lib/steps.ts";
import { runBoundedGenerator, runBoundedSteps } from "./bounded.ts";
import { stripMismatchedThinking } from "./bound-thinking.ts";
import { metaUser, warning } from "./drafts.ts";
import type { Fact, FactOf } from "./fact.ts";
import { fixedTokens, internalFailure, recordAndYield, type Run } from "./run.ts";
import { abortedFact } from "./sampling.ts";
import { sentThinking } from "./sent-thinking.ts";
import { maxAnswerTokens } from "./answer-limit.ts";
import { recordNote } from "./run-note.ts";
import { withModel, type State } from "./state.ts";
import * as texts from "./texts.ts";

export function* prepare(lastState: State, run: Run): Steps<QueryEvent, Fact> {
  const { ports, limits } = run;
  const chosenModel = newlyChosenModel(lastState, run);
  const startState = withModel(lastState, chosenModel);
  const model = startState.toolUseContext.model;
  if (run.cancel.cause !== null) return abortedFact(run, startState);
  yield { type: "stream_request_start", turnCount: startState.turnCount, model };
  if (run.cancel.cause !== null) return abortedFact(run, startState);
  const state = { ...startState, messages: yield* stripMismatchedThinking(run, startState.messages) };
  const input = contextInput(state, run);
  const wait = { key: `${input.key}.fit`, on: "compaction" as const, name: "fit", limitMs: limits.compactionMs };
  const { context } = ports;
  const fitSteps = context.fitSteps?.bind(context, input);
  const fit =
    fitSteps === undefined
      ? yield* runBoundedGenerator(run, wait, (signal) => context.fit(input, signal))
      : yield* runBoundedSteps(run, wait, fitSteps);
  if (run.cancel.cause !== null) return abortedFact(run, state);
  if (!fit.ok)
    return {
      kind: "failed",
      messages: state.messages,
      failure: internalFailure(texts.preparingRequest, fit.why === "threw" ? fit.error : fit.why),
    };
  const result = fit.value;
  if (result.kind === "full") return windowFull(result);
  yield* recordAndYield(run, result.records);
  const fitted = { ...state, autoCompactTracking: result.tracking };
  const built = yield* buildRequest(result.messages, fitted, run, result.maxTokens);
  const messages = yield* reportMending(run, built.mended, built.messages);
  return {
    kind: "prepared",
    messages,
    request: built.request,
    estimatedTokens: result.estimatedTokens,
    tracking: result.tracking,
    ...(chosenModel === undefined ? {} : { chosenModel }),
  };
}

/**
 * Returns the user's choice if it has changed since the last request, which is asked as that model allows. A model that took over because
 * of a failure stays until then.
 */
function newlyChosenModel({ toolUseContext }: State, run: Run): string | undefined {
  const chosen = run.ports.chosenModel?.();
  const before = run.chosenModel ?? toolUseContext.model;
  run.chosenModel = chosen?.model ?? before;
  if (chosen === undefined || chosen.model === before) return undefined;
  const { model, thinking, effort } = chosen;
  run.config = { ...run.config, thinking, effort };
  recordNote(run, { at: "model", model, thinking });
  return model;
}

function windowFull({
  estimatedTokens,
  limitTokens,
  why,
}: Extract<FitResult, { kind: "full" }>): FactOf<"window_full"> {
  return { kind: "window_full", estimatedTokens, limitTokens, ...(why === undefined ? {} : { why }) };
}

/** Returns what the context port needs to know about this turn. */
export function contextInput(state: State, run: Run): ContextInput {
  const info = run.ports.model.info(state.toolUseContext.model);
  return {
    messages: state.messages,
    model: info,
    maxTokens: wantedOutputTokens(state, run, info),
    fixedTokens: fixedTokens(run),
    tracking: state.autoCompactTracking,
    turnCount: state.turnCount,
    key: `t${state.iteration}`,
  };
}

/** Returns the output tokens to ask for, before the window and the budget limit them. */
export function wantedOutputTokens(state: State, run: Run, info: ModelInfo): number {
  const { config, limits } = run;
  const override = state.maxOutputTokensOverride ?? config.maxOutputTokens;
  return Math.min(
    override ?? limits.outputTokensDefault + thinkingRoom(config.thinking, info),
    maxAnswerTokens(run, info),
  );
}

/** A thinking budget comes out of the same tokens as the answer, so it is added to the answer's own share. */
function thinkingRoom(thinking: ThinkingSetting, info: ModelInfo): number {
  return sendsThinkingBudget(thinking, info) ? thinking.budgetTokens : 0;
}

/**
 * Builds the request from the current conversation. If that does not end with a user message, one is added and recorded, because later
 * thinking is bound to it. `paused` sends an unfinished response back unchanged.
 */
export function* buildRequest(
  messages: readonly Message[],
  state: State,
  run: Run,
  maxTokens: number,
  paused = false,
): Steps<QueryEvent, { request: ModelRequest; mended: number; messages: readonly Message[] }> {
  const built = composeRequest(messages, state, run, maxTokens, paused);
  if (!built.isOpenEnded) return { ...built, messages };
  const added = yield* recordAndYield(run, [metaUser(texts.continueAfterOverflow, "recovery")]);
  const ended = [...messages, ...added];
  return { ...composeRequest(ended, state, run, maxTokens, false), messages: ended };
}

function composeRequest(
  messages: readonly Message[],
  state: State,
  run: Run,
  maxTokens: number,
  paused: boolean,
): { request: ModelRequest; mended: number; isOpenEnded: boolean } {
  const { config, ports } = run;
  const model = state.toolUseContext.model;
  const info = ports.model.info(model);
  const { maxImages, compaction } = info;
  const thinkingOptions = sentThinking(config.thinking, info, run.memory.unsigned.has(model));
  const normalized = run.memory.normalize(messages, { model, ...thinkingOptions, maxImages, paused, compaction });
  if (sendsThinkingBudget(config.thinking, info) && isTurnThinkingMissing(messages, normalized.messages, info))
    run.unthinkingThisRun.add(model);
  const request: ModelRequest = {
    model,
    system: config.system,
    tools: ports.tools.definitions(),
    messages: normalized.messages,
    cacheBreakpoints: normalized.cacheBreakpoints,
    maxTokens,
    thinking:
      run.memory.unthinking.has(model) || run.unthinkingThisRun.has(model) ? { type: "disabled" } : config.thinking,
    querySource: config.querySource,
    sessionId: config.sessionId,
    key: `t${state.iteration}.model`,
  };
  if (config.effort !== undefined) request.effort = config.effort;
  if (config.speed !== undefined) request.speed = config.speed;
  if (config.taskBudget !== undefined) request.taskBudget = taskBudget(config.taskBudget, state, normalized.messages);
  const { missingResults, strayResults, calls, endings } = normalized.mended;
  return { request, mended: missingResults + strayResults + calls, isOpenEnded: endings > 0 };
}

/**
 * `remaining` is sent only once work was removed from the conversation, and keeps its value until more is removed, because the API itself
 * counts what it is sent. The API accepts no `remaining` beside a signed summary.
 */
function taskBudget(
  { total }: { total: number },
  { autoCompactTracking: { taskTokensLost } }: State,
  messages: readonly ApiMessage[],
): ModelRequest["taskBudget"] {
  const first = messages[0]?.content[0];
  const isSigned = first?.type === "opaque" && first.wire["type"] === "compaction";
  if (taskTokensLost === undefined || isSigned) return { total };
  return { total, remaining: Math.max(0, total - taskTokensLost) };
}

/** Reports, once per run, that the history had to be mended. */
function* reportMending(run: Run, mended: number, messages: readonly Message[]): Steps<QueryEvent, readonly Message[]> {
  if (mended === 0 || run.reportedMending) return messages;
  run.reportedMending = true;
  const text = `The history held ${mended} place${mended === 1 ? "" : "s"} the API would refuse (calls without a result, results without a call); they were mended for the request.`;
  return [...messages, ...(yield* recordAndYield(run, [warning("history_mended", text)]))];
}
