/**
 * First stage: turns the conversation into a request, or reports that it is too long. Runs the layers of the context port, then builds the
 * request of this turn.
 */
import type { QueryEvent } from "../protocol/event.ts";
import type { ContextInput, FitResult } from "../protocol/context.ts";
import type { Message } from "../protocol/message.ts";
import type { ApiMessage, ModelInfo, ModelRequest, ThinkingSetting } from "../protocol/model.ts";
import { lacksItsThinking, takesBudget } from "../protocol/turn-thinking.ts";
import type { Steps } from "../lib/steps.ts";
import { boundedGenerator, boundedSteps } from "./bounded.ts";
import { boundToPrefix } from "./bound-thinking.ts";
import { metaUser, warning } from "./drafts.ts";
import type { Fact, FactOf } from "./fact.ts";
import { fixedTokens, internalFailure, recorded, type Run } from "./run.ts";
import { abortedFact } from "./sampling.ts";
import { sentThinking } from "./sent-thinking.ts";
import { longestAnswer } from "./shorter-answer.ts";
import type { State } from "./state.ts";
import * as texts from "./texts.ts";

export function* prepare(given: State, _previous: Fact, run: Run): Steps<QueryEvent, Fact> {
  const { ports, limits } = run;
  const model = given.toolUseContext.model;
  if (run.cancel.cause !== null) return abortedFact(run, given);
  yield { type: "stream_request_start", turnCount: given.turnCount, model };
  if (run.cancel.cause !== null) return abortedFact(run, given);
  const state = { ...given, messages: yield* boundToPrefix(run, given.messages) };
  const input = contextInput(state, run);
  const wait = { key: `${input.key}.fit`, on: "compaction" as const, name: "fit", limitMs: limits.compactionMs };
  const { context } = ports;
  const stepsOf = context.fitSteps?.bind(context, input);
  const fit =
    stepsOf === undefined
      ? yield* boundedGenerator(run, wait, (signal) => context.fit(input, signal))
      : yield* boundedSteps(run, wait, stepsOf);
  if (run.cancel.cause !== null) return abortedFact(run, state);
  if (!fit.ok)
    return {
      kind: "failed",
      messages: state.messages,
      failure: internalFailure(texts.preparing, fit.why === "threw" ? fit.error : fit.why),
    };
  const result = fit.value;
  if (result.kind === "full") return windowFull(result);
  yield* recorded(run, result.records);
  const fitted = { ...state, autoCompactTracking: result.tracking };
  const open = buildRequest(result.messages, fitted, run, result.maxTokens);
  const ended = yield* endWithUser(run, open.isOpenEnded, result.messages);
  const built = open.isOpenEnded ? buildRequest(ended, fitted, run, result.maxTokens) : open;
  const messages = yield* reportMending(run, built.mended, ended);
  return {
    kind: "prepared",
    messages,
    request: built.request,
    estimatedTokens: result.estimatedTokens,
    tracking: result.tracking,
  };
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
    maxTokens: wantedTokens(state, run, info),
    fixedTokens: fixedTokens(run),
    tracking: state.autoCompactTracking,
    turnCount: state.turnCount,
    key: `t${state.iteration}`,
  };
}

/** Returns the output tokens to ask for, before the window and the budget limit them. */
export function wantedTokens(state: State, run: Run, info: ModelInfo): number {
  const { config, limits } = run;
  const own = state.maxOutputTokensOverride ?? config.maxOutputTokens;
  return Math.min(own ?? limits.outputTokensDefault + thinkingRoom(config.thinking, info), longestAnswer(run, info));
}

/** A thinking budget comes out of the same tokens as the answer, so it is added to the answer's own share. */
function thinkingRoom(thinking: ThinkingSetting, info: ModelInfo): number {
  return takesBudget(thinking, info) ? thinking.budgetTokens : 0;
}

/** Builds the request from the current conversation. `paused` sends an unfinished response back unchanged. */
export function buildRequest(
  messages: readonly Message[],
  state: State,
  run: Run,
  maxTokens: number,
  paused = false,
): { request: ModelRequest; mended: number; isOpenEnded: boolean } {
  const { config, ports } = run;
  const model = state.toolUseContext.model;
  const info = ports.model.info(model);
  const { maxImages, compaction } = info;
  const thoughts = sentThinking(config.thinking, info, run.unsigned.has(model));
  const normalized = run.normalize(messages, { model, ...thoughts, maxImages, paused, compaction });
  if (takesBudget(config.thinking, info) && lacksItsThinking(messages, normalized.messages, info))
    run.unthinkingNow.add(model);
  const request: ModelRequest = {
    model,
    system: config.system,
    tools: ports.tools.definitions(),
    messages: normalized.messages,
    cacheBreakpoints: normalized.cacheBreakpoints,
    maxTokens,
    thinking: run.unthinking.has(model) || run.unthinkingNow.has(model) ? { type: "disabled" } : config.thinking,
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

/** Makes the conversation end with a user message. The message is recorded, because later thinking is bound to it. */
function* endWithUser(
  run: Run,
  isOpenEnded: boolean,
  messages: readonly Message[],
): Steps<QueryEvent, readonly Message[]> {
  if (!isOpenEnded) return messages;
  return [...messages, ...(yield* recorded(run, [metaUser(texts.continueAfterOverflow, "recovery")]))];
}

/** Reports, once per run, that the history had to be mended. */
function* reportMending(run: Run, mended: number, messages: readonly Message[]): Steps<QueryEvent, readonly Message[]> {
  if (mended === 0 || run.reportedMending) return messages;
  run.reportedMending = true;
  const text = `The history held ${mended} place${mended === 1 ? "" : "s"} the API would refuse (calls without a result, results without a call); they were mended for the request.`;
  return [...messages, ...(yield* recorded(run, [warning("history_mended", text)]))];
}
