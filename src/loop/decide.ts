/**
 * Every way the loop can continue and every way it can stop, in one pure function. Stages report facts; only this file names a `Continue`
 * or a `Terminal`. If several apply, the order of the checks here is their priority. What a stage tries before it reports is decided
 * elsewhere: what follows a failed response in `next-attempt.ts`, which limit cut an answer in `cut-answer.ts`, and which recovery has made
 * room in `settle.ts`. Where that depends on what the loop remembers, they ask the functions below.
 */
import type { Continue, Failure, Terminal } from "../protocol/stop.ts";
import { errorMessage, hookStopped, interruption, metaUser, warning, windowFullMessage } from "./drafts.ts";
import type { Draft, Fact, FactOf, Sampled } from "./fact.ts";
import { continueCap, type LoopLimits } from "./ports.ts";
import { guardsAfter, withModel, type State } from "./state.ts";
import * as texts from "./texts.ts";

export type Verdict =
  | { go: "on"; state: State; emit: Draft[] }
  | { go: "again"; state: State; emit: Draft[]; transition: Continue }
  | { go: "stop"; state: State; emit: Draft[]; terminal: Terminal };

type Stop = Extract<Verdict, { go: "stop" }>;

export function decide(state: State, fact: Fact, limits: LoopLimits): Verdict {
  if ("messages" in fact) state = { ...state, messages: fact.messages };
  switch (fact.kind) {
    case "opened":
      return goOn(state);
    case "prepared":
      return goOn({ ...withModel(state, fact.chosenModel), autoCompactTracking: fact.tracking });
    case "window_full":
      return stop(state, { reason: "blocking_limit" }, [windowFullMessage(fact)]);
    case "admission_refused":
      return stop(state, { reason: "max_budget_usd" });
    case "stream_cut":
      return afterStreamCut(state, fact);
    case "answered":
      return afterAnswer(bookResponse(state, fact), fact);
    case "overflowed":
      return goOn(bookResponse(state, fact));
    case "truncated":
      return afterTruncation(bookResponse(state, fact), fact, limits);
    case "drained":
      return afterShrinking(state, fact, limits, { reason: "collapse_drain_retry", committed: fact.committed });
    case "compacted":
      return afterShrinking(state, fact, limits, {
        reason: "reactive_compact_retry",
        ...(fact.media ? { media: true } : {}),
      });
    case "unrecovered":
      return surfaceOverflow(state, fact);
    case "failed":
      return surfaceError(state, fact.failure, { reason: "model_error", error: fact.failure });
    case "aborted":
      return afterAbort(state, fact, limits);
    case "batch_settled":
      return afterBatch(state, fact, limits);
    case "turn_end":
      return afterTurnEnd(state, fact, limits);
    default:
      return fact satisfies never;
  }
}

/** Which recoveries an overflow may still try, in order. `settle` asks this; the guards are read nowhere else. */
export function recoveriesLeft(state: State, fact: FactOf<"overflowed">): ("drain" | "compact")[] {
  const left: ("drain" | "compact")[] = [];
  if (!fact.media && state.transition?.reason !== "collapse_drain_retry") left.push("drain");
  if (!state.hasAttemptedReactiveCompact) left.push("compact");
  return left;
}

/** Whether a cut answer may be requested again with more room. `sample` asks this before it blames a full window. */
export function canEscalate(state: State, fact: FactOf<"truncated">, limits: LoopLimits): boolean {
  if (fact.cap !== "default" || state.maxOutputTokensOverride !== null) return false;
  return escalatedTokenLimit(fact, limits) > fact.maxTokens;
}

function escalatedTokenLimit({ modelMaxTokens }: FactOf<"truncated">, limits: LoopLimits): number {
  return Math.min(limits.outputTokensEscalated ?? Infinity, modelMaxTokens);
}

type BatchEnd = Pick<FactOf<"batch_settled">, "hookStopped" | "endsTurn">;

/** Whether no turn follows this batch. `act` asks this, so that it takes no queued input that nobody will answer. */
export function isLastBatch(state: State, { hookStopped, endsTurn }: BatchEnd, limits: LoopLimits): boolean {
  return hookStopped !== null || endsTurn || isLastTurn(state, limits);
}

function isLastTurn(state: State, limits: LoopLimits): limits is LoopLimits & { maxTurns: number } {
  return limits.maxTurns !== undefined && state.turnCount + 1 > limits.maxTurns;
}

function goOn(state: State): Verdict {
  return { go: "on", state, emit: [] };
}

function stop(state: State, terminal: Terminal, emit: Draft[] = []): Stop {
  return { go: "stop", state, emit, terminal };
}

interface AgainOptions {
  change?: Partial<State>;
  emit?: Draft[];
  /** The stop verdict of a recovery if all recoveries together have reached the cap. */
  atCap?: Stop;
}

/** The only way to continue. It checks every limit itself, so that no recovery goes uncounted. */
function goAgain(
  state: State,
  limits: LoopLimits,
  transition: Continue,
  { change = {}, emit = [], atCap }: AgainOptions,
): Verdict {
  const isTurn = transition.reason === "next_turn";
  if (isTurn && isLastTurn(state, limits)) return stopAtMaxTurns(state, limits.maxTurns);
  const continues = isTurn ? 0 : state.continuesSinceTurn + 1;
  if (atCap !== undefined && continues > continueCap(limits)) return atCap;
  const next: State = {
    ...state,
    ...guardsAfter[transition.reason],
    continuesSinceTurn: continues,
    turnCount: isTurn ? state.turnCount + 1 : state.turnCount,
    iteration: state.iteration + 1,
    transition,
    ...change,
  };
  return {
    go: "again",
    state: next,
    transition,
    emit: [...emit, { type: "transition", transition, turnCount: next.turnCount }],
  };
}

function stopAtMaxTurns(state: State, maxTurns: number): Stop {
  const turnCount = state.turnCount + 1;
  return stop(state, { reason: "max_turns", turnCount }, [
    { type: "attachment", attachment: { kind: "max_turns_reached", maxTurns, turnCount } },
  ]);
}

/** Books what a response used, and takes over a change of model. */
function bookResponse(state: State, fact: Sampled): State {
  return {
    ...state,
    toolUseContext: { ...state.toolUseContext, model: fact.model, fallbacksUsed: fact.fallbacksUsed },
    tokenBudget: { ...state.tokenBudget, spent: state.tokenBudget.spent + fact.outputTokens },
    overload: null,
  };
}

const limitNames: ReadonlyMap<string | null, string> = new Map([
  ["max_tokens", "the output token limit"],
  ["model_context_window_exceeded", "the end of the context window"],
]);

/** A cut answer without calls is a different fact, `truncated`. */
function afterAnswer(state: State, { calls, stopReason }: FactOf<"answered">): Verdict {
  const limit = limitNames.get(stopReason);
  if (calls === 0 || limit === undefined) return goOn(state);
  const text = `The answer was cut at ${limit}; its complete tool calls are carried out, and the model continues from there.`;
  return { go: "on", state, emit: [warning("answer_cut", text)] };
}

/** A failure that another model takes over from has already been reported, so it needs no warning here. */
function afterStreamCut(before: State, fact: FactOf<"stream_cut">): Verdict {
  const { failure, overloads } = fact;
  const overload = overloads === 0 ? null : { inARow: overloads, failure };
  // The retry that follows reports which server is overloaded, and how.
  const why = overload === null ? failure.message : "Its server is overloaded.";
  const text = `The answer broke off; its calls are carried out, and the model continues from there. ${why}`;
  return {
    go: "on",
    state: { ...bookResponse(before, fact), overload },
    emit: fact.isTakenOver ? [] : [warning("answer_cut", text)],
  };
}

/** Shows the error and ends the run. */
function surfaceError(state: State, failure: Failure, terminal: Terminal): Stop {
  return stop(state, terminal, [errorMessage(failure, state.iteration)]);
}

function surfaceOverflow(state: State, { media, failure }: FactOf<"drained" | "compacted" | "unrecovered">): Stop {
  return surfaceError(state, failure, { reason: media ? "image_error" : "prompt_too_long" });
}

function afterShrinking(
  state: State,
  fact: FactOf<"drained" | "compacted">,
  limits: LoopLimits,
  transition: Continue,
): Verdict {
  const atCap = surfaceOverflow(state, fact);
  return goAgain(state, limits, transition, { change: { autoCompactTracking: fact.tracking }, atCap });
}

function afterTruncation(state: State, fact: FactOf<"truncated">, limits: LoopLimits): Verdict {
  if (fact.cap === "ledger") return stop(state, { reason: "max_budget_usd" });
  const atCap = surfaceError(state, fact.failure, { reason: "model_error", error: fact.failure });
  if (canEscalate(state, fact, limits)) {
    const dropped = new Set(fact.targets);
    const messages = state.messages.filter((message) => !dropped.has(message.uuid));
    const change = { messages, maxOutputTokensOverride: escalatedTokenLimit(fact, limits) };
    const emit: Draft[] =
      fact.targets.length > 0 ? [{ type: "tombstone", targets: fact.targets, reason: "escalate" }] : [];
    return goAgain(state, limits, { reason: "max_output_tokens_escalate" }, { change, emit, atCap });
  }
  const attempt = state.maxOutputTokensRecoveryCount + 1;
  if (attempt > limits.outputTokensRecoveries) return atCap;
  const emit = [metaUser(texts.resumeAfterTruncation, "recovery")];
  const change = { maxOutputTokensRecoveryCount: attempt };
  return goAgain(state, limits, { reason: "max_output_tokens_recovery", attempt }, { change, emit, atCap });
}

function afterAbort(state: State, fact: FactOf<"aborted">, limits: LoopLimits): Verdict {
  const inTools = fact.where === "tools";
  const emit: Draft[] = fact.cause === "interrupt" ? [] : [interruption(fact.where)];
  if (inTools && isLastTurn(state, limits)) emit.push(...stopAtMaxTurns(state, limits.maxTurns).emit);
  return stop(state, { reason: inTools ? "aborted_tools" : "aborted_streaming" }, emit);
}

function afterBatch(state: State, fact: FactOf<"batch_settled">, limits: LoopLimits): Verdict {
  if (fact.hookStopped !== null) {
    const { hookStopped: stopped } = fact;
    return stop(state, { reason: "hook_stopped" }, stopped.isDeferral === true ? [] : [hookStopped(stopped)]);
  }
  if (fact.endsTurn) return goOn(state);
  return goAgain(state, limits, { reason: "next_turn" }, { change: { pendingToolUseSummary: fact.summaryKey } });
}

function afterTurnEnd(state: State, fact: FactOf<"turn_end">, limits: LoopLimits): Verdict {
  if (fact.prevented !== null) return stop(state, { reason: "stop_hook_prevented" }, [hookStopped(fact.prevented)]);
  const verdict = fact.blocking.length > 0 ? afterBlock(state, fact, limits) : afterPass(state, fact, limits);
  if (fact.outOfTries === undefined || verdict.go !== "again") return verdict;
  return stop(state, { reason: "completed" }, [...turnEndWarnings(fact), warning("out_of_tries", fact.outOfTries)]);
}

function afterPass(state: State, fact: FactOf<"turn_end">, limits: LoopLimits): Verdict {
  const passed = { ...state, stopHookBlockCount: 0 };
  return afterTokenBudget(passed, fact, limits) ?? stop(passed, { reason: "completed" }, turnEndWarnings(fact));
}

function afterBlock(state: State, fact: FactOf<"turn_end">, limits: LoopLimits): Verdict {
  const blocks = state.stopHookBlockCount + 1;
  const text = `Stop hooks kept the turn from ending ${limits.stopHookBlocks} times in a row; it ends now. Look at the hook, or raise the cap: CLAUDE_CODE_STOP_HOOK_BLOCK_CAP (0: none).`;
  const atCap = stop(state, { reason: "completed" }, [...turnEndWarnings(fact), warning("stop_hook_cap", text)]);
  if (blocks > limits.stopHookBlocks) return atCap;
  const emit = fact.blocking.map((feedback) => metaUser(texts.stopHookFeedback(feedback), "stop_hook"));
  // A user who lifted this cap wants no other cap in its place.
  const baseState = limits.stopHookBlocks === Infinity ? { ...state, continuesSinceTurn: 0 } : state;
  return goAgain(
    baseState,
    limits,
    { reason: "stop_hook_blocking" },
    { change: { stopHookBlockCount: blocks }, emit, atCap },
  );
}

/** Returns null if no token budget was requested. */
function afterTokenBudget(state: State, fact: FactOf<"turn_end">, limits: LoopLimits): Verdict | null {
  const budget = limits.tokenBudget;
  const { spent, nudges, spentAtNudge } = state.tokenBudget;
  if (budget === undefined || spent >= budget * 0.9) return null;
  const gainedLittle = spentAtNudge !== null && spent - spentAtNudge < 500;
  const inARow = gainedLittle ? nudges + 1 : 0;
  const text = `Stopped at ${spent} of the ${budget} tokens of work asked for: the model had nothing more to do.`;
  const atCap = stop(state, { reason: "completed" }, [...turnEndWarnings(fact), warning("token_budget_unspent", text)]);
  if (inARow >= 3) return atCap;
  const baseState = spentAtNudge !== null && !gainedLittle ? { ...state, continuesSinceTurn: 0 } : state;
  const change = { tokenBudget: { spent, nudges: inARow, spentAtNudge: spent } };
  const emit = [...fact.warnings, metaUser(texts.tokenBudgetNudge(spent, budget), "token_budget")];
  return goAgain(baseState, limits, { reason: "token_budget_continuation" }, { change, emit, atCap });
}

/** Returns the warnings that people see at the end of a turn. */
function turnEndWarnings(fact: FactOf<"turn_end">): Draft[] {
  const text = "The model ended its turn without saying anything. Send a message to go on.";
  return fact.empty ? [...fact.warnings, warning("empty_answer", text)] : fact.warnings;
}
