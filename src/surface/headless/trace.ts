/** Lines for the debug file from the messages of a run: request ids, transitions, retries. The session itself logs results. */
import type { SDKMessage } from "../../protocol/sdk.ts";

/** Returns one line, or undefined for messages that the debug file does not need. */
export function traceLine(message: SDKMessage): string | undefined {
  const line = messageLine(message);
  const isOfAgent = message.type === "assistant" && message.agent_id !== undefined;
  return line !== undefined && isOfAgent ? `agent ${message.agent_id} ${line}` : line;
}

function messageLine(message: SDKMessage): string | undefined {
  switch (message.type) {
    case "assistant":
      return `assistant ${message.message.id} request=${message.request_id ?? "unknown"}${message.error === undefined ? "" : ` error=${message.error}`}`;
    case "system":
      return systemLine(message);
    default:
      return undefined;
  }
}

function systemLine(message: SDKMessage & { type: "system" }): string | undefined {
  switch (message.subtype) {
    case "init":
      return `init session=${message.session_id} model=${message.model}`;
    case "transition":
      return `transition ${message.transition.reason} turn=${message.turn_count}`;
    case "api_retry":
      return `retry attempt=${message.attempt} delay=${message.retry_delay_ms}ms status=${message.error_status ?? "none"} request=${message.request_id ?? "unknown"}`;
    case "permission_denied":
      return `denied ${message.tool_name} ${message.tool_use_id}: ${message.decision_reason_type}`;
    case "compact_boundary":
      return `compacted ${message.compact_metadata.trigger} from=${message.compact_metadata.pre_tokens}`;
    case "results_cleared":
      return `cleared ${message.tool_use_ids.length} results reason=${message.reason} tokens=${message.saved_tokens} usd=${message.saved_usd ?? "unknown"}`;
    case "snip_boundary":
      return `snipped from=${message.snip_metadata.from_uuid} to=${message.snip_metadata.to_uuid} tokens=${message.snip_metadata.saved_tokens}`;
    case "collapse_commit": {
      const { message_uuids, pre_tokens, post_tokens } = message.collapse_metadata;
      return `collapsed ${message_uuids.length} messages from=${pre_tokens} to=${post_tokens}`;
    }
    case "tombstone":
      return `tombstone ${message.reason} ${message.retracted_message_uuids.join(" ")}`;
    default:
      return undefined;
  }
}
