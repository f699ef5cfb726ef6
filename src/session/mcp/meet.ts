/** A summary, or a question beside the work, before the first turn of a resumed session. */
import type { Conversation } from "../store/conversation.ts";
import type { CacheSafe } from "../forks/cache-safe.ts";
import type { McpSlot } from "./desk.ts";

export interface ServersToMeet {
  cacheSafe: Pick<CacheSafe, "hasAsked">;
  conversation: Pick<Conversation, "messages">;
  mcp: Pick<McpSlot, "desk">;
}

/**
 * Has the servers' tools on offer, as the conversation's requests had them: the cache, and on some models the thinking, are bound to
 * them. Once a request of this process has left, they stay as they were in it.
 */
export async function metServers({ cacheSafe, conversation, mcp }: ServersToMeet, signal: AbortSignal): Promise<void> {
  if (cacheSafe.hasAsked || conversation.messages.length === 0) return;
  await mcp.desk?.ready(signal);
}
