/** What a session tells the outside: the SDK message union, in wire case. Readers must ignore types they do not know. */
import type { Effort } from "./effort.ts";
import type { SDKFailure } from "./sdk-failure.ts";
import type { PermissionMode } from "./permission.ts";
import type { SDKConversationReset, SDKLocalCommandOutput } from "./sdk-commands.ts";
import type { SDKHookMessage } from "./sdk-hooks.ts";
import type { SDKAnswering, SDKMessageOrigin } from "./sdk-origin.ts";
import type { SDKCollapseCommit, SDKResultsCleared, SDKSnipBoundary } from "./sdk-history.ts";
import type {
  OfAgent,
  SDKTaskNotification,
  SDKTaskProgress,
  SDKTaskStarted,
  SDKTaskUpdated,
  SDKToolProgress,
} from "./sdk-task.ts";
import type { TerminalReason } from "./stop.ts";
import type { ModelUsage } from "./usage.ts";
import type { SDKStreamEvent, WireBlock } from "./wire-block.ts";

export type { SDKStreamEvent, WireBlock };

export interface WireUsage {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  cache_creation?: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number };
  server_tool_use?: { web_search_requests: number; web_fetch_requests: number };
  service_tier?: string;
  inference_geo?: string;
}

/** The sum over a turn's responses; tier, speed and geography are those of the last one. */
export interface ResultUsage extends Required<WireUsage> {
  output_tokens_details: { thinking_tokens: number };
  /** Always empty. */
  iterations: [];
  speed: "standard" | "fast";
}

export type SDKAssistantMessageError =
  | "authentication_failed"
  | "billing_error"
  | "rate_limit"
  | "overloaded"
  | "invalid_request"
  | "model_not_found"
  | "server_error"
  | "max_output_tokens"
  | "unknown";

interface SDKBase {
  uuid: string;
  session_id: string;
}

export interface SDKSystemInit extends SDKBase {
  type: "system";
  subtype: "init";
  /** Where the API key comes from; `none` if there is none, for example because a bearer token takes its place. */
  apiKeySource: "ANTHROPIC_API_KEY" | "apiKeyHelper" | "none";
  cwd: string;
  tools: string[];
  mcp_servers: { name: string; status: string; source?: string }[];
  model: string;
  permissionMode: PermissionMode;
  /** The effort requested; absent for models without effort levels. */
  effort?: Effort;
  /** The requested values of the `anthropic-beta` header; absent if none were requested. */
  betas?: string[];
  slash_commands: string[];
  output_style: string;
  skills: string[];
  agents: string[];
  plugins: { name: string; path: string; version?: string }[];
  /** Requested plugins that are missing or incomplete, by folder, file or `plugin@marketplace`. Absent if there are none. */
  plugin_errors?: { plugin: string; type: string; message: string }[];
  pawl_version: string;
  claude_code_version: string;
  capabilities: string[];
}

export interface SDKAssistantMessage extends SDKBase, OfAgent, SDKAnswering {
  type: "assistant";
  message: {
    id: string;
    type: "message";
    role: "assistant";
    model: string;
    content: WireBlock[];
    stop_reason: string | null;
    stop_sequence: null;
    usage: WireUsage;
  };
  parent_tool_use_id: string | null;
  error?: SDKAssistantMessageError;
  request_id?: string;
  aborted?: true;
  /** What a `MessageDisplay` hook shows people in place of the text of `message`. */
  display_content?: string;
}

export interface SDKUserMessage extends Partial<SDKBase>, OfAgent {
  type: "user";
  message: { role: "user"; content: string | WireBlock[] };
  parent_tool_use_id: string | null;
  isSynthetic?: boolean;
  isReplay?: true;
  /** On input: false adds the message to the conversation without starting a turn. */
  shouldQuery?: boolean;
  /** On input, while a turn runs: `next` joins it at its next step, `now` ends it and comes next. */
  priority?: "now" | "next" | "later";
  /** On input: passes the text to the model as it is. Commands are not run, and mentioned files are not read. */
  client_composed?: boolean;
  /** On input: what the user pasted, which `message` does not contain. Its texts follow those of `message`. */
  pasted_content?: (string | WireBlock[])[];
  /** On input: states that a person wrote the message. Repeated on the result. */
  origin?: SDKMessageOrigin;
  tool_use_result?: unknown;
}

export interface SDKPartialAssistantMessage extends SDKBase {
  type: "stream_event";
  event: SDKStreamEvent;
  parent_tool_use_id: string | null;
}

export interface SDKPermissionDenial {
  tool_name: string;
  tool_use_id: string;
  tool_input: Record<string, unknown>;
}

/** Every way a run ends, under the names of the wire format. */
export type SDKTerminalReason =
  | Exclude<TerminalReason, "max_budget_usd">
  | "budget_exhausted"
  | "tool_deferred"
  | "tool_deferred_unavailable"
  | "structured_output_retry_exhausted";

interface SDKResultBase extends SDKBase, SDKAnswering {
  type: "result";
  is_error: boolean;
  duration_ms: number;
  duration_api_ms: number;
  /** 1, plus 1 for each follow-up after tool calls: what `maxTurns` limits. */
  num_turns: number;
  /** The number of user messages yielded in this user turn. Counted separately, and not limited. */
  num_user_messages?: number;
  stop_reason: string | null;
  terminal_reason: SDKTerminalReason;
  total_cost_usd: number;
  usage: ResultUsage;
  modelUsage: Record<string, ModelUsage>;
  permission_denials: SDKPermissionDenial[];
  api_error_status?: number | null;
  /** The call that a `PreToolUse` hook deferred (`terminal_reason` `tool_deferred`): not run yet; the session's next prompt takes it up. */
  deferred_tool_use?: { id: string; name: string; input: Record<string, unknown> };
  /** The origin of the message this result answers; absent if its sender did not state one. */
  origin?: SDKMessageOrigin;
  /** The built-in command that answered in place of the model, without the slash. */
  local_command?: string;
  /** The text after the command's name, and the command's findings as data. */
  local_command_output?: { argument: string; data?: unknown };
}

export interface SDKResultSuccess extends SDKResultBase {
  subtype: "success";
  result: string;
  /** What a `MessageDisplay` hook shows people in place of `result`. */
  display_content?: string;
  structured_output?: unknown;
}

export interface SDKResultError extends SDKResultBase {
  subtype:
    | "error_during_execution"
    | "error_max_turns"
    | "error_max_budget_usd"
    | "error_max_structured_output_retries";
  errors: string[];
  failure: SDKFailure;
}

export type SDKResultMessage = SDKResultSuccess | SDKResultError;

export interface SDKCompactBoundary extends SDKBase {
  type: "system";
  subtype: "compact_boundary";
  /** `left_out`: nothing was summarised; images or documents were left out instead. */
  compact_metadata: { trigger: "manual" | "auto"; pre_tokens: number; post_tokens?: number; left_out?: "media" };
}

export interface SDKStatus extends SDKBase {
  type: "system";
  subtype: "status";
  status: "compacting" | "requesting" | null;
  permissionMode?: PermissionMode;
  /** How a manual compaction ended; with `status: null`. */
  compact_result?: "success" | "failed";
  compact_error?: string;
}

export interface SDKApiRetry extends SDKBase {
  type: "system";
  subtype: "api_retry";
  attempt: number;
  max_retries: number;
  retry_delay_ms: number;
  error_status: number | null;
  error: string;
  message: string;
  request_id?: string;
}

export interface SDKPermissionDenied extends SDKBase {
  type: "system";
  subtype: "permission_denied";
  tool_name: string;
  tool_use_id: string;
  /** The agent that made the call, if any. */
  agent_id?: string;
  decision_reason_type: string;
  message: string;
}

export interface SDKInformational extends SDKBase {
  type: "system";
  subtype: "informational";
  content: string;
  level: "info" | "notice" | "suggestion" | "warning";
  tag?: string;
  /** A hook ended the turn. */
  prevent_continuation?: true;
  /** The agent in which this was said, if any. */
  agent_id?: string;
  /** The content as data: `{event, hooks}` for `stop_hook_summary`; `{uuid}` for `prompt_blocked` if the prompt was to join a turn. */
  data?: Record<string, unknown>;
}

/** Why the loop continues: one per Continue. A subtype of pawl's own, for traces. */
export interface SDKTransition extends SDKBase {
  type: "system";
  subtype: "transition";
  transition: { reason: string; [key: string]: unknown };
  turn_count: number;
}

/** Messages that were replaced: a client that has shown them should take them back. */
export interface SDKTombstone extends SDKBase {
  type: "system";
  subtype: "tombstone";
  retracted_message_uuids: string[];
  reason: string;
}

/** What the user might say next. Follows the `result`, with `promptSuggestions`. */
export interface SDKPromptSuggestion extends SDKBase {
  type: "prompt_suggestion";
  suggestion: string;
}

export interface SDKToolUseSummary extends SDKBase {
  type: "tool_use_summary";
  summary: string;
  preceding_tool_use_ids: string[];
}

export type SDKSystemMessage =
  | SDKSystemInit
  | SDKCompactBoundary
  | SDKSnipBoundary
  | SDKResultsCleared
  | SDKCollapseCommit
  | SDKStatus
  | SDKApiRetry
  | SDKPermissionDenied
  | SDKInformational
  | SDKTransition
  | SDKTombstone
  | SDKTaskStarted
  | SDKTaskProgress
  | SDKTaskUpdated
  | SDKTaskNotification
  | SDKHookMessage
  | SDKLocalCommandOutput;

export type SDKMessage =
  | SDKSystemMessage
  | SDKAssistantMessage
  | SDKUserMessage
  | SDKPartialAssistantMessage
  | SDKResultMessage
  | SDKToolProgress
  | SDKToolUseSummary
  | SDKPromptSuggestion
  | SDKConversationReset;
