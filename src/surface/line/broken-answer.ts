/** Recognises the messages that come after an answer that broke off. */
import type { SDKMessage } from "../../protocol/sdk.ts";

/** Tags of messages for an answer that broke off after its tool calls. */
const brokenAnswerTags: ReadonlySet<string | undefined> = new Set(["answer_cut", "model_fallback"]);

/** Returns whether the message follows an answer that broke off, which has no end of its own. */
export function followsBrokenAnswer(message: SDKMessage): boolean {
  if (message.type === "assistant") return message.error !== undefined && message.parent_tool_use_id === null;
  if (message.type !== "system") return false;
  if (message.subtype === "informational") return brokenAnswerTags.has(message.tag);
  return message.subtype === "api_retry" || message.subtype === "tombstone";
}
