/** Everything that can go wrong on the model's side, by name. The name alone uses the defaults; an object overrides them. */
import type { JsonObject } from "../wire/types.ts";

/** Answers with an error status before any stream. */
export const httpFaults = {
  overloaded: { status: 529, type: "overloaded_error", message: "Overloaded" },
  rate_limit: {
    status: 429,
    type: "rate_limit_error",
    message: "This request would exceed your organization's rate limit. Please try again later.",
  },
  spend_limit: {
    status: 429,
    type: "rate_limit_error",
    message: "You have reached your organization's enforced spend limit.",
  },
  server_error: { status: 500, type: "api_error", message: "Internal server error" },
  unavailable: { status: 503, type: "api_error", message: "Service unavailable" },
  gateway_timeout: { status: 504, type: "timeout_error", message: "Request timed out" },
  request_timeout: { status: 408, type: "timeout_error", message: "Request timeout" },
  conflict: { status: 409, type: "conflict_error", message: "The request conflicts with another one." },
  unauthenticated: { status: 401, type: "authentication_error", message: "invalid x-api-key" },
  billing: { status: 402, type: "billing_error", message: "Your credit balance is too low to access the API." },
  forbidden: { status: 403, type: "permission_error", message: "Your API key does not have permission." },
  not_found: { status: 404, type: "not_found_error", message: "model: not available" },
  too_large: { status: 413, type: "request_too_large", message: "Request exceeds the maximum size" },
  prompt_too_long: { status: 400, type: "invalid_request_error", message: "prompt is too long" },
  bad_request: { status: 400, type: "invalid_request_error", message: "The request was refused by the script." },
  /** A summary cannot be made or read for the moment. */
  compaction_unavailable: { status: 529, type: "overloaded_error", message: "Compaction is temporarily unavailable" },
} as const;

/** Breaks the connection or the stream at a chosen point. */
export const transportFaults = ["reset", "stall", "truncate", "error_event", "garbage"] as const;

/** Changes the content of the answer, not its delivery. */
export const contentFaults = [
  "invalid_tool_json",
  "max_tokens_in_tool",
  "duplicate_tool_ids",
  "empty",
  "refusal",
  "pause_turn",
  "window_exceeded",
  "split_utf8",
  "slow_drip",
] as const;

export type HttpFaultKind = keyof typeof httpFaults;
export type TransportFaultKind = (typeof transportFaults)[number];
export type ContentFaultKind = (typeof contentFaults)[number];
export type FaultKind = HttpFaultKind | TransportFaultKind | ContentFaultKind;

/**
 * Where a stream breaks: before the response headers, before the first event, after a number of events, in the middle of the first
 * (or last) content block, between the last block and `message_stop`, or after a share (0 to 1) of the stream.
 */
export type FaultPoint =
  | "headers"
  | "first_event"
  | "mid_block"
  | "mid_last_block"
  | "before_stop"
  | { events: number }
  | { share: number };

export type Fault =
  | {
      kind: HttpFaultKind;
      status?: number;
      type?: string;
      message?: string;
      /** Seconds; sent as `retry-after`. */
      retryAfter?: number;
      headers?: Record<string, string>;
      details?: JsonObject;
      /** For `prompt_too_long`: the figures in the text. */
      tokens?: number;
      maximum?: number;
    }
  /** Default point: `mid_block`. */
  | { kind: "reset" | "stall" | "truncate"; at?: FaultPoint }
  | { kind: "error_event"; at?: FaultPoint; type?: string; message?: string }
  | { kind: "garbage" }
  | { kind: "refusal"; category?: string; explanation?: string; afterOutput?: boolean }
  | { kind: Exclude<ContentFaultKind, "refusal"> };

/** Faults that a client following the documentation recovers from on its own. */
export const survivableFaults: readonly FaultKind[] = [
  "overloaded",
  "rate_limit",
  "server_error",
  "unavailable",
  "conflict",
  "reset",
  "truncate",
  "error_event",
  "garbage",
  "split_utf8",
];

export function isHttpFault(kind: string): kind is HttpFaultKind {
  return Object.hasOwn(httpFaults, kind);
}

export function isFaultKind(kind: string): kind is FaultKind {
  return isHttpFault(kind) || [...transportFaults, ...contentFaults].includes(kind as never);
}

export function toFault(fault: Fault | FaultKind): Fault {
  return typeof fault === "string" ? ({ kind: fault } as Fault) : fault;
}
