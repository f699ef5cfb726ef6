/** Prepares the servers' tools for a summary or a side question before the first turn of a resumed session. */
import type { Conversation } from "../store/conversation.ts";
import type { CacheSafe } from "../forks/cache-safe.ts";
import type { McpSlot } from "./desk.ts";

export interface ServersOnResumeParts {
  cacheSafe: Pick<CacheSafe, "hasSentRequest">;
  conversation: Pick<Conversation, "messages">;
  mcp: Pick<McpSlot, "desk">;
}

/**
 * Offers the servers' tools as the conversation's earlier requests had them, since the prompt cache and, on some models, the thinking
 * blocks depend on them. Does nothing once a request of this process was sent: tools then stay as they were in it.
 */
export async function waitForServersOnResume(
  { cacheSafe, conversation, mcp }: ServersOnResumeParts,
  signal: AbortSignal,
): Promise<void> {
  if (cacheSafe.hasSentRequest || conversation.messages.length === 0) return;
  await mcp.desk?.ready(signal);
}
