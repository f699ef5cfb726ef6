/** What the loop yields. A consumer sees these events and the one Terminal that the generator returns; there are no callbacks. */
import type { Message } from "./message.ts";
import type { RawStreamEvent } from "./stream-event.ts";
import type { SDKMessage } from "./sdk.ts";
import type { FailureKind } from "./stop.ts";
import type { ToolProgress } from "./tool.ts";

export interface StreamRequestStart {
  type: "stream_request_start";
  turnCount: number;
  model: string;
}

export interface StreamEvent {
  type: "stream_event";
  event: RawStreamEvent;
}

export interface ApiRetry {
  type: "api_retry";
  attempt: number;
  /** `Number.MAX_SAFE_INTEGER`: retries have no limit. */
  maxRetries: number;
  delayMs: number;
  status: number | null;
  kind: FailureKind;
  message: string;
  requestId?: string;
}

export interface ToolProgressEvent {
  type: "tool_progress";
  progress: ToolProgress;
}

/** A message of an agent that a tool of this run started. */
export interface AgentMessageEvent {
  type: "agent_message";
  message: SDKMessage;
}

/** The loop is waiting for something outside, for at most `limitMs`. */
export interface WaitingEvent {
  type: "waiting";
  key: string;
  on: "permission" | "hook" | "compaction" | "retry" | "agent" | "budget";
  name: string;
  limitMs: number;
}

export interface PermissionDeniedEvent {
  type: "permission_denied";
  toolName: string;
  toolUseId: string;
  input: Record<string, unknown>;
  message: string;
  reasonType: string;
}

export interface CompactingEvent {
  type: "compacting";
  trigger: "auto" | "manual" | "reactive";
}

/** One line about a finished batch of three or more calls. */
export interface ToolUseSummary {
  type: "tool_use_summary";
  summary: string;
  precedingToolUseIds: string[];
}

export type QueryEvent =
  | Message
  | StreamRequestStart
  | StreamEvent
  | ApiRetry
  | ToolProgressEvent
  | AgentMessageEvent
  | WaitingEvent
  | PermissionDeniedEvent
  | CompactingEvent
  | ToolUseSummary;
