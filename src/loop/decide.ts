/**
 * Every way the loop can go on and every way it can stop, in one pure function. Stages report facts; only this file names
 * a `Continue` or a `Terminal`. The priority of several at once is the order of the questions asked here.
 */
import type { Continue, Failure, Terminal } from "../protocol/stop.ts";
import type { Draft, Fact, FactOf } from "./fact.ts";
import { continueCap, type LoopLimits } from "./ports.ts";
import { guardsAfter, type State } from "./state.ts";
import * as texts from "./texts.ts";

export type Verdict =
  | { go: "on"; state: State; emit: Draft[] }
  | { go: "again"; state: State; emit: Draft[]; transition: Continue }
  | { go: "stop"; state: State; emit: Draft[]; terminal: Terminal };

type Stop = Extract<Verdict, { go: "stop" }>;
type Change = Partial<State>;

export function decide(state: State, fact: Fact, limits: LoopLimits): Verdict {
  switch (fact.kind) {
    case "opened":
      return on(state, {});
    case "prepared":
      return on(state, { messages: fact.messages, autoCompactTracking: fact.tracking });
    case "window_full":
      return stop(state, { reason: "blocking_limit" }, [fullMessage(fact)]);
    case "admission_refused":
      return stop({ ...state, messages: fact.messages }, { reason: "max_budget_usd" });
    case "answered":
    case "stream_cut":
      return on(spent(state, fact), { messages: fact.messages });
    case "truncated":
      return afterTruncation(spent(state, fact), fact, limits);
    case "overflowed":
      return on(spent(state, fact), { messages: fact.messages });
    case "drained":
      return again(
        state,
        limits,
        { reason: "collapse_drain_retry", committed: fact.committed },
        { messages: fact.messages, autoCompactTracking: fact.tracking },
        [],
        surfaceOverflow(state, fact),
      );
    case "compacted":
      return again(
        state,
        limits,
        { reason: "reactive_compact_retry", ...(fact.media ? { media: true } : {}) },
        { messages: fact.messages, autoCompactTracking: fact.tracking },
        [],
        surfaceOverflow(state, fact),
      );
    case "unrecovered":
      return surfaceOverflow(state, fact);
    case "failed":
      return stop({ ...state, messages: fact.messages }, { reason: "model_error", error: fact.failure }, [
        errorMessage(fact.failure, state),
      ]);
    case "aborted":
      return afterAbort({ ...state, messages: fact.messages }, fact, limits);
    case "batch_settled":
      return afterBatch({ ...state, messages: fact.messages, pendingToolUseSummary: fact.summaryKey }, fact, limits);
    case "turn_end":
      return afterTurnEnd({ ...state, messages: fact.messages }, fact, limits);
    default:
      return fact satisfies never;
  }
}

/** Which recoveries an overflow may still try, in order. Settling asks; the guards are read nowhere else. */
export function recoveriesLeft(state: State, fact: FactOf<"overflowed">): ("drain" | "compact")[] {
  const left: ("drain" | "compact")[] = [];
  if (!fact.media && state.transition?.reason !== "collapse_drain_retry") left.push("drain");
  if (!state.hasAttemptedReactiveCompact) left.push("compact");
  return left;
}

/** Whether a cut answer may be asked for again with more room. Sampling asks, before it takes a full window for the cause. */
export function canEscalate(state: State, fact: FactOf<"truncated">, limits: LoopLimits): boolean {
  if (fact.cap !== "default" || state.maxOutputTokensOverride !== null) return false;
  return longestEscalated(fact, limits) > fact.maxTokens;
}

function longestEscalated({ modelMaxTokens }: FactOf<"truncated">, limits: LoopLimits): number {
  return Math.min(limits.outputTokensEscalated ?? Infinity, modelMaxTokens);
}

/** No turn may follow this one. Acting asks, so as not to take what nobody will answer. */
export function isLastTurn(state: State, limits: LoopLimits): boolean {
  return limits.maxTurns !== undefined && state.turnCount + 1 > limits.maxTurns;
}

function on(state: State, change: Change): Verdict {
  return { go: "on", state: { ...state, ...change }, emit: [] };
}

function stop(state: State, terminal: Terminal, emit: Draft[] = []): Stop {
  return { go: "stop", state, emit, terminal };
}

/** The one way round: meets every limit itself, so that no recovery goes uncounted. `atCap`: what a recovery surfaces there. */
function again(
  state: State,
  limits: LoopLimits,
  transition: Continue,
  change: Change,
  emit: Draft[],
  atCap: Stop | null,
): Verdict {
  const isTurn = transition.reason === "next_turn";
  if (isTurn && limits.maxTurns !== undefined && isLastTurn(state, limits))
    return atMaxTurns({ ...state, ...change }, limits.maxTurns);
  const continues = isTurn ? 0 : state.continuesSinceTurn + 1;
  if (atCap !== null && continues > continueCap(limits)) return atCap;
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

function atMaxTurns(state: State, maxTurns: number): Stop {
  const turnCount = state.turnCount + 1;
  return stop(state, { reason: "max_turns", turnCount }, [
    { type: "attachment", attachment: { kind: "max_turns_reached", maxTurns, turnCount } },
  ]);
}

/** Books what a response used, and follows a switch of model. */
function spent(state: State, fact: { outputTokens: number; model: string; fallbacksUsed: number }): State {
  return {
    ...state,
    toolUseContext: { ...state.toolUseContext, model: fact.model, fallbacksUsed: fact.fallbacksUsed },
    tokenBudget: { ...state.tokenBudget, spent: state.tokenBudget.spent + fact.outputTokens },
  };
}

type Overflow = FactOf<"drained" | "compacted" | "unrecovered">;

function surfaceOverflow(state: State, fact: Overflow): Stop {
  return stop({ ...state, messages: fact.messages }, { reason: fact.media ? "image_error" : "prompt_too_long" }, [
    errorMessage(fact.failure, state),
  ]);
}

function afterTruncation(state: State, fact: FactOf<"truncated">, limits: LoopLimits): Verdict {
  if (fact.cap === "ledger") return stop({ ...state, messages: fact.messages }, { reason: "max_budget_usd" });
  const surface = stop({ ...state, messages: fact.messages }, { reason: "model_error", error: fact.failure }, [
    errorMessage(fact.failure, state),
  ]);
  if (canEscalate(state, fact, limits)) {
    const dropped = new Set(fact.targets);
    const messages = fact.messages.filter((message) => !dropped.has(message.uuid));
    const tombstone: Draft[] =
      fact.targets.length > 0 ? [{ type: "tombstone", targets: fact.targets, reason: "escalate" }] : [];
    return again(
      state,
      limits,
      { reason: "max_output_tokens_escalate" },
      { messages, maxOutputTokensOverride: longestEscalated(fact, limits) },
      tombstone,
      surface,
    );
  }
  const attempt = state.maxOutputTokensRecoveryCount + 1;
  if (attempt > limits.outputTokensRecoveries) return surface;
  const resume: Draft = metaUser(texts.resumeAfterTruncation, "recovery");
  const change = { messages: fact.messages, maxOutputTokensRecoveryCount: attempt };
  return again(state, limits, { reason: "max_output_tokens_recovery", attempt }, change, [resume], surface);
}

function afterAbort(state: State, fact: FactOf<"aborted">, limits: LoopLimits): Verdict {
  const inTools = fact.where === "tools";
  const emit: Draft[] = [];
  if (fact.cause !== "interrupt")
    emit.push(metaUser(inTools ? texts.interruptedDuringTools : texts.interruptedWhileAnswering, "interruption"));
  if (inTools && limits.maxTurns !== undefined && isLastTurn(state, limits))
    emit.push(...atMaxTurns(state, limits.maxTurns).emit);
  return stop(state, { reason: inTools ? "aborted_tools" : "aborted_streaming" }, emit);
}

function afterBatch(state: State, fact: FactOf<"batch_settled">, limits: LoopLimits): Verdict {
  if (fact.hookStopped !== null) {
    const { event, message, isDeferral } = fact.hookStopped;
    const attachment = { kind: "hook_stopped_continuation" as const, event, message };
    return stop(state, { reason: "hook_stopped" }, isDeferral === true ? [] : [{ type: "attachment", attachment }]);
  }
  return again(state, limits, { reason: "next_turn" }, {}, [], null);
}

function afterTurnEnd(state: State, fact: FactOf<"turn_end">, limits: LoopLimits): Verdict {
  if (fact.prevented !== null) {
    return stop(state, { reason: "stop_hook_prevented" }, [
      { type: "attachment", attachment: { kind: "hook_stopped_continuation", ...fact.prevented } },
    ]);
  }
  if (fact.blocking.length > 0) return afterBlock(state, fact, limits);
  const passed = { ...state, stopHookBlockCount: 0 };
  return afterTokenBudget(passed, fact, limits) ?? stop(passed, { reason: "completed" }, parting(fact));
}

function afterBlock(state: State, fact: FactOf<"turn_end">, limits: LoopLimits): Verdict {
  const blocks = state.stopHookBlockCount + 1;
  const text = `Stop hooks kept the turn from ending ${limits.stopHookBlocks} times in a row; it ends now. Look at the hook, or raise the cap: CLAUDE_CODE_STOP_HOOK_BLOCK_CAP (0: none).`;
  const atCap = stop(state, { reason: "completed" }, [...parting(fact), warning("stop_hook_cap", text)]);
  if (blocks > limits.stopHookBlocks) return atCap;
  const feedback = fact.blocking.map((said) => metaUser(texts.stopHookFeedback(said), "stop_hook"));
  // Who lifted the cap wants no other in its place.
  const counted = limits.stopHookBlocks === Infinity ? { ...state, continuesSinceTurn: 0 } : state;
  return again(counted, limits, { reason: "stop_hook_blocking" }, { stopHookBlockCount: blocks }, feedback, atCap);
}

/** Null where no budget of work was asked for. */
function afterTokenBudget(state: State, fact: FactOf<"turn_end">, limits: LoopLimits): Verdict | null {
  const budget = limits.tokenBudget;
  const { spent, nudges, spentAtNudge } = state.tokenBudget;
  if (budget === undefined || spent >= budget * 0.9) return null;
  const broughtLittle = spentAtNudge !== null && spent - spentAtNudge < 500;
  const inARow = broughtLittle ? nudges + 1 : 0;
  const text = `Stopped at ${spent} of the ${budget} tokens of work asked for: the model had nothing more to do.`;
  const atCap = stop(state, { reason: "completed" }, [...parting(fact), warning("token_budget_unspent", text)]);
  if (inARow >= 3) return atCap;
  const counted = spentAtNudge !== null && !broughtLittle ? { ...state, continuesSinceTurn: 0 } : state;
  const change = { tokenBudget: { spent, nudges: inARow, spentAtNudge: spent } };
  return again(
    counted,
    limits,
    { reason: "token_budget_continuation" },
    change,
    [...fact.warnings, metaUser(texts.tokenBudgetNudge(spent, budget), "token_budget")],
    atCap,
  );
}

function metaUser(text: string, origin: "recovery" | "stop_hook" | "token_budget" | "interruption"): Draft {
  return { type: "user", content: [{ type: "text", text }], isMeta: true, origin };
}

function warning(name: string, text: string): Draft {
  return { type: "notice", level: "warning", name, text };
}

/** What people are told with the end of a turn. */
function parting(fact: FactOf<"turn_end">): Draft[] {
  const text = "The model ended its turn without saying anything. Send a message to go on.";
  return fact.empty ? [...fact.warnings, warning("empty_answer", text)] : fact.warnings;
}

function errorMessage(failure: Failure, state: State): Draft {
  const apiError =
    failure.status === undefined ? { kind: failure.kind } : { kind: failure.kind, status: failure.status };
  return {
    type: "assistant",
    messageId: `error_${state.iteration}`,
    model: "<synthetic>",
    content: [{ type: "text", text: failure.message }],
    apiError,
    ...(failure.requestId === undefined ? {} : { requestId: failure.requestId }),
  };
}

function fullMessage(fact: FactOf<"window_full">): Draft {
  const content = [
    { type: "text" as const, text: texts.blockingLimit(fact.estimatedTokens, fact.limitTokens, fact.why) },
  ];
  return {
    type: "assistant",
    messageId: "error_window",
    model: "<synthetic>",
    content,
    apiError: { kind: "prompt_too_long" },
  };
}
