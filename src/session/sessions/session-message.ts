/** Converts a recorded message for the library's functions and exports; undefined for messages of the loop's own. */
import type { Message } from "../../protocol/message.ts";
import { toWireBlocks } from "../../protocol/wire-block.ts";
import type { SessionMessage } from "../../protocol/sdk-sessions.ts";

export function toSessionMessage(message: Message, sessionId: string, withSystem: boolean): SessionMessage | undefined {
  const own = {
    uuid: message.uuid,
    session_id: sessionId,
    parent_tool_use_id: null,
    parent_agent_id: null,
    timestamp: message.timestamp,
  };
  switch (message.type) {
    case "user":
      if (message.isMeta === true) return undefined;
      return { type: "user", ...own, message: { role: "user", content: toWireBlocks(message.content) } };
    case "assistant": {
      const { messageId: id, model, content } = message;
      const apiMessage = { id, type: "message", role: "assistant", model, content: toWireBlocks(content) };
      return { type: "assistant", ...own, message: apiMessage };
    }
    case "attachment":
      if (message.attachment.kind !== "queued_command") return undefined;
      return { type: "user", ...own, message: { role: "user", content: toWireBlocks(message.attachment.prompt) } };
    default: {
      const systemFields = withSystem ? systemMessage(message) : undefined;
      return systemFields === undefined ? undefined : { type: "system", ...own, message: systemFields };
    }
  }
}

function systemMessage(message: Message): { subtype: string; [field: string]: unknown } | undefined {
  switch (message.type) {
    case "compact_boundary": {
      const { trigger, preTokens: pre_tokens, postTokens: post_tokens } = message;
      return { subtype: message.type, trigger, pre_tokens, post_tokens };
    }
    case "snip_boundary":
      return { subtype: message.type, from_uuid: message.fromUuid, to_uuid: message.toUuid, by: message.by };
    case "collapse_commit":
      return { subtype: message.type, targets: message.targets };
    case "results_cleared":
      return { subtype: message.type, tool_use_ids: message.cleared.map(({ toolUseId }) => toolUseId) };
    case "notice":
      return { subtype: "informational", level: message.level, content: message.text };
    case "response_end": {
      const { messageId: message_id, stopReason: stop_reason, costUsd: cost_usd } = message;
      return { subtype: message.type, message_id, stop_reason, cost_usd, usage: message.usage };
    }
    default:
      return undefined;
  }
}
