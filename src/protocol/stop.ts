/** The loop's two closed unions: every reason to continue, and every way a run ends. Only `loop/decide.ts` makes them. */

export type FailureKind =
  | "authentication_failed"
  | "billing_error"
  | "permission_denied"
  | "model_not_found"
  | "invalid_request"
  | "rate_limit"
  | "overloaded"
  | "server_error"
  | "connection"
  | "stalled"
  | "truncated_stream"
  | "refusal"
  | "prompt_too_long"
  | "media"
  | "max_output_tokens"
  | "thinking_rejected"
  | "compaction_refused"
  | "aborted"
  | "transcript"
  | "not_configured"
  | "internal";

/** A failure as a value. `message` is for people: what happened, to what, and what to do next. */
export interface Failure {
  kind: FailureKind;
  message: string;
  status?: number;
  requestId?: string;
  /** When a limit resets, ms since the epoch. */
  resetsAt?: number;
  /** The provider's own words, for debugging and for clients. */
  detail?: string;
}

export type Continue =
  | { reason: "next_turn" }
  | { reason: "collapse_drain_retry"; committed: number }
  /** `media`: the API refused an image or document, not the length of the prompt. */
  | { reason: "reactive_compact_retry"; media?: true }
  | { reason: "max_output_tokens_escalate" }
  | { reason: "max_output_tokens_recovery"; attempt: number }
  | { reason: "stop_hook_blocking" }
  | { reason: "token_budget_continuation" };

export type Terminal =
  | { reason: "completed" }
  | { reason: "max_turns"; turnCount: number }
  | { reason: "aborted_streaming" }
  | { reason: "aborted_tools" }
  | { reason: "blocking_limit" }
  | { reason: "stop_hook_prevented" }
  | { reason: "hook_stopped" }
  | { reason: "prompt_too_long" }
  | { reason: "image_error" }
  | { reason: "max_budget_usd" }
  | { reason: "model_error"; error: Failure };

export type ContinueReason = Continue["reason"];
export type TerminalReason = Terminal["reason"];

/** Who ended a run. Written once: the first cause wins. `interrupt` means the user has already submitted the next message. */
export type CancelCause = "user" | "interrupt" | "terminate" | "consumer" | "shutdown";
