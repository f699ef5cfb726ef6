/** The loop's whole memory between iterations: one immutable record of plain JSON, built only here. */
import type { AutoCompactTracking } from "../protocol/context.ts";
import type { Message } from "../protocol/message.ts";
import type { ModelFailure } from "../protocol/model.ts";
import type { Continue, ContinueReason } from "../protocol/stop.ts";

export interface State {
  /** The conversation since the last compact boundary. */
  messages: readonly Message[];
  /** What tools and calls of this run share. The live parts (signal, caches) belong to the ports. */
  toolUseContext: { model: string; fallbacksUsed: number; agentId: string | null };
  /** The last answer broke off under the load of its server, behind its calls: how many in a row did, and how. */
  overload: { inARow: number; failure: ModelFailure } | null;
  autoCompactTracking: AutoCompactTracking;
  maxOutputTokensRecoveryCount: number;
  hasAttemptedReactiveCompact: boolean;
  maxOutputTokensOverride: number | null;
  /** Key of the batch whose summary is being made while the next call runs. */
  pendingToolUseSummary: string | null;
  stopHookActive: boolean;
  stopHookBlockCount: number;
  turnCount: number;
  /** Continues since the last `next_turn`: what bounds every recovery. */
  continuesSinceTurn: number;
  /** Requests made in this run: the position every effect's key is made of. */
  iteration: number;
  /** `nudges`: those in a row that brought little. `spentAtNudge`: null before the first. */
  tokenBudget: { spent: number; nudges: number; spentAtNudge: number | null };
  /** Why this iteration exists; null on the first. */
  transition: Continue | null;
}

/** The one constructor: a live prompt and a resumed session start alike. */
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
 * What each Continue sets or clears; what it does not name is kept. `stop_hook_blocking` does not name
 * `hasAttemptedReactiveCompact` on purpose: compact → too long → hook → compact would never end.
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
