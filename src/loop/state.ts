/** Everything the loop remembers between iterations: one immutable record of plain JSON, built only here. */
import type { AutoCompactTracking } from "../protocol/context.ts";
import type { Message } from "../protocol/message.ts";
import type { ModelFailure } from "../protocol/model.ts";
import type { Continue, ContinueReason } from "../protocol/stop.ts";

export interface State {
  /** The conversation since the last compact boundary. */
  messages: readonly Message[];
  /** What the tools and calls of this run share. The live parts (signal, caches) belong to the ports. */
  toolUseContext: { model: string; fallbacksUsed: number; agentId: string | null };
  /** Set if the last answer broke off after its calls because its server was overloaded: how many answers in a row did, and the failure. */
  overload: { inARow: number; failure: ModelFailure } | null;
  autoCompactTracking: AutoCompactTracking;
  maxOutputTokensRecoveryCount: number;
  hasAttemptedReactiveCompact: boolean;
  maxOutputTokensOverride: number | null;
  /** The key of the batch whose summary is being made while the next call runs. */
  pendingToolUseSummary: string | null;
  stopHookActive: boolean;
  stopHookBlockCount: number;
  turnCount: number;
  /** Continues since the last `next_turn`. Every recovery is bounded by this count. */
  continuesSinceTurn: number;
  /** Requests made in this run. The key of every side effect is derived from this position. */
  iteration: number;
  /** `nudges`: how many in a row gained little. `spentAtNudge`: null before the first nudge. */
  tokenBudget: { spent: number; nudges: number; spentAtNudge: number | null };
  /** Why this iteration exists; null for the first. */
  transition: Continue | null;
}

/** The only constructor: a new prompt and a resumed session start the same way. */
export function createState(start: {
  messages: readonly Message[];
  model: string;
  agentId?: string | undefined;
  tracking?: AutoCompactTracking;
}): State {
  return {
    messages: start.messages,
    toolUseContext: { model: start.model, fallbacksUsed: 0, agentId: start.agentId ?? null },
    overload: null,
    autoCompactTracking: start.tracking ?? { consecutiveFailures: 0 },
    maxOutputTokensRecoveryCount: 0,
    hasAttemptedReactiveCompact: false,
    maxOutputTokensOverride: null,
    pendingToolUseSummary: null,
    stopHookActive: false,
    stopHookBlockCount: 0,
    turnCount: 1,
    continuesSinceTurn: 0,
    iteration: 1,
    tokenBudget: { spent: 0, nudges: 0, spentAtNudge: null },
    transition: null,
  };
}

type Guards = Pick<
  State,
  | "hasAttemptedReactiveCompact"
  | "maxOutputTokensRecoveryCount"
  | "maxOutputTokensOverride"
  | "pendingToolUseSummary"
  | "stopHookActive"
  | "stopHookBlockCount"
>;

const guardsAfterTurn = {
  hasAttemptedReactiveCompact: false,
  maxOutputTokensRecoveryCount: 0,
  maxOutputTokensOverride: null,
  stopHookBlockCount: 0,
};

/**
 * What each Continue sets or clears; fields it does not name are kept. `stop_hook_blocking` deliberately does not name
 * `hasAttemptedReactiveCompact`: otherwise compact → too long → hook → compact could repeat forever.
 */
export const guardsAfter: Record<ContinueReason, Partial<Guards>> = {
  next_turn: guardsAfterTurn,
  collapse_drain_retry: {},
  reactive_compact_retry: { hasAttemptedReactiveCompact: true },
  max_output_tokens_escalate: {},
  max_output_tokens_recovery: {},
  stop_hook_blocking: {
    maxOutputTokensRecoveryCount: 0,
    maxOutputTokensOverride: null,
    pendingToolUseSummary: null,
    stopHookActive: true,
  },
  token_budget_continuation: {},
};

/** The state after the user has chosen another model; undefined: the user has not. */
export function withModel(state: State, model: string | undefined): State {
  return model === undefined
    ? state
    : { ...state, toolUseContext: { ...state.toolUseContext, model, fallbacksUsed: 0 }, overload: null };
}
