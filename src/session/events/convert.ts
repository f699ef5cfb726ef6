/** Loop events → SDK messages. An event becomes at most one message; events meant only for the loop become none. */
import type { QueryEvent, WaitingEvent } from "../../protocol/event.ts";
import type {
  AssistantMessage,
  NoticeMessage,
  CollapseCommitMessage,
  ResultsClearedMessage,
  SnipBoundaryMessage,
  UserMessage,
} from "../../protocol/message.ts";
import type { SDKAssistantMessage, SDKMessage, SDKUserMessage, SDKStreamEvent } from "../../protocol/sdk.ts";
import { toWireBlocks } from "../../protocol/wire-block.ts";
import { formatDuration } from "../../lib/format-figures.ts";
import { toSDKError } from "../../protocol/sdk-error.ts";
import { noUsage } from "../../protocol/usage.ts";
import { fromAttachment } from "./convert-attachment.ts";
import { toWireUsage } from "../../protocol/wire-usage.ts";

export interface ConvertContext {
  sessionId: string;
  uuid(): string;
}

export function toSDKMessage(event: QueryEvent, context: ConvertContext): SDKMessage | null {
  const { sessionId } = context;
  switch (event.type) {
    case "assistant":
      return fromAssistant(event, sessionId);
    case "user":
      // The call was deferred: clients get its result once there is one.
      return event.deferred === true ? null : fromUser(event, sessionId);
    case "stream_event":
      return {
        type: "stream_event",
        // The event keeps the shape that its server gave it.
        event: event.event as SDKStreamEvent,
        parent_tool_use_id: null,
        uuid: context.uuid(),
        session_id: sessionId,
      };
    case "agent_message":
      return event.message;
    case "attachment":
      return fromAttachment(event, sessionId);
    case "notice":
      return fromNotice(event, sessionId);
    case "response_end":
    case "thinking_stripped":
      return null;
    default:
      return fromSystemEvent(event, context);
  }
}

type SystemEvent = Exclude<QueryEvent, { type: Converted }>;
type Converted =
  | "assistant"
  | "user"
  | "stream_event"
  | "agent_message"
  | "attachment"
  | "notice"
  | "response_end"
  | "thinking_stripped";

function fromSystemEvent(event: SystemEvent, context: ConvertContext): SDKMessage | null {
  const uuid = "uuid" in event ? event.uuid : context.uuid();
  const system = { uuid, session_id: context.sessionId, type: "system" as const };
  switch (event.type) {
    case "stream_request_start":
      return { ...system, subtype: "status", status: "requesting" };
    case "compacting":
      return { ...system, subtype: "status", status: "compacting" };
    case "compact_boundary": {
      const trigger = event.trigger === "manual" ? "manual" : "auto";
      return {
        ...system,
        subtype: "compact_boundary",
        compact_metadata: {
          trigger,
          pre_tokens: event.preTokens,
          post_tokens: event.postTokens,
          ...(event.leftOut === undefined ? {} : { left_out: event.leftOut }),
        },
      };
    }
    case "snip_boundary":
    case "results_cleared":
    case "collapse_commit":
      return { ...system, ...fromRewrite(event) };
    case "transition":
      return { ...system, subtype: "transition", transition: { ...event.transition }, turn_count: event.turnCount };
    case "tombstone":
      return { ...system, subtype: "tombstone", retracted_message_uuids: event.targets, reason: event.reason };
    case "api_retry":
      return {
        ...system,
        subtype: "api_retry",
        attempt: event.attempt,
        max_retries: event.maxRetries,
        retry_delay_ms: Math.round(event.delayMs),
        error_status: event.status,
        error: toSDKError(event.kind),
        message: event.message,
        ...(event.requestId === undefined ? {} : { request_id: event.requestId }),
      };
    case "permission_denied":
      return {
        ...system,
        subtype: "permission_denied",
        tool_name: event.toolName,
        tool_use_id: event.toolUseId,
        decision_reason_type: event.reasonType,
        message: event.message,
      };
    case "waiting":
    case "tool_progress":
    case "tool_use_summary":
      return fromToolEvent(event, context);
    default:
      return event satisfies never;
  }
}

function fromRewrite(event: SnipBoundaryMessage | ResultsClearedMessage | CollapseCommitMessage) {
  if (event.type === "collapse_commit") {
    const { targets: message_uuids, preTokens: pre_tokens, postTokens: post_tokens } = event;
    return { subtype: event.type, collapse_metadata: { message_uuids: [...message_uuids], pre_tokens, post_tokens } };
  }
  if (event.type === "results_cleared") {
    const ids = event.cleared.map(({ toolUseId }) => toolUseId);
    const saved = { saved_tokens: event.savedTokens, saved_usd: event.netUsd };
    return { subtype: event.type, reason: event.why, tool_use_ids: ids, ...saved };
  }
  const { fromUuid: from_uuid, toUuid: to_uuid, by, reason, savedTokens: saved_tokens } = event;
  const reasonField = reason === undefined ? {} : { reason };
  return { subtype: event.type, snip_metadata: { from_uuid, to_uuid, by, ...reasonField, saved_tokens } };
}

/** What the loop is waiting for, for people. */
export function waitingText({ on, name, limitMs }: WaitingEvent): string {
  return `Waiting for ${on} (${name}), at most ${formatDuration(limitMs)}`;
}

type ToolEvent = Extract<QueryEvent, { type: "waiting" | "tool_progress" | "tool_use_summary" }>;

function fromToolEvent(event: ToolEvent, context: ConvertContext): SDKMessage {
  const base = { uuid: context.uuid(), session_id: context.sessionId };
  const system = { ...base, type: "system" as const };
  switch (event.type) {
    case "waiting": {
      const content = waitingText(event);
      return { ...system, subtype: "informational", level: "info", content, tag: `waiting:${event.key}` };
    }
    case "tool_progress": {
      const { progress } = event;
      return {
        ...base,
        type: "tool_progress",
        tool_use_id: progress.toolUseId,
        tool_name: progress.toolName,
        parent_tool_use_id: null,
        elapsed_time_seconds: (progress.elapsedMs ?? 0) / 1000,
        ...(progress.text === undefined ? {} : { text: progress.text }),
      };
    }
    case "tool_use_summary":
      return {
        ...base,
        type: "tool_use_summary",
        summary: event.summary,
        preceding_tool_use_ids: event.precedingToolUseIds,
      };
    default:
      return event satisfies never;
  }
}

function fromAssistant(message: AssistantMessage, sessionId: string): SDKAssistantMessage {
  const shown: SDKAssistantMessage = {
    type: "assistant",
    message: {
      id: message.messageId,
      type: "message",
      role: "assistant",
      model: message.model,
      content: toWireBlocks(message.content),
      stop_reason: null,
      stop_sequence: null,
      usage: toWireUsage(message.usageSoFar ?? noUsage),
    },
    parent_tool_use_id: null,
    uuid: message.uuid,
    session_id: sessionId,
  };
  if (message.apiError !== undefined) shown.error = toSDKError(message.apiError.kind);
  if (message.requestId !== undefined) shown.request_id = message.requestId;
  if (message.aborted !== undefined) shown.aborted = true;
  return shown;
}

function fromUser(message: UserMessage, sessionId: string): SDKUserMessage {
  const shown: SDKUserMessage = {
    type: "user",
    message: { role: "user", content: toWireBlocks(message.content) },
    parent_tool_use_id: null,
    uuid: message.uuid,
    session_id: sessionId,
  };
  if (message.isMeta === true) shown.isSynthetic = true;
  if (message.toolUseResult !== undefined) shown.tool_use_result = message.toolUseResult;
  return shown;
}

function fromNotice(notice: NoticeMessage, sessionId: string): SDKMessage {
  const level = notice.level === "info" ? "info" : "warning";
  return {
    type: "system",
    subtype: "informational",
    content: notice.text,
    level,
    tag: notice.name,
    ...(notice.name === "stop_hook_summary" ? { data: notice.data ?? {} } : {}),
    ...(notice.name === "prompt_blocked" && notice.data !== undefined ? { data: notice.data } : {}),
    uuid: notice.uuid,
    session_id: sessionId,
  };
}
