/** Messages about a session's history being shortened without a summary of all of it. Subtypes of pawl's own. */
import type { ResultsClearedMessage, SnipAuthor } from "./message.ts";

interface OfHistory {
  type: "system";
  uuid: string;
  session_id: string;
}

/** A span of history was taken out. */
export interface SDKSnipBoundary extends OfHistory {
  subtype: "snip_boundary";
  snip_metadata: { from_uuid: string; to_uuid: string; by: SnipAuthor; reason?: string; saved_tokens: number };
}

/** In what the model is sent, the results of old calls were each replaced by one line. */
export interface SDKResultsCleared extends OfHistory {
  subtype: "results_cleared";
  reason: ResultsClearedMessage["why"];
  tool_use_ids: string[];
  saved_tokens: number;
  /** Expected savings over the requests to come; null if the model has no prices. */
  saved_usd: number | null;
}

/** From here on, a summary replaces a span of finished work. */
export interface SDKCollapseCommit extends OfHistory {
  subtype: "collapse_commit";
  collapse_metadata: { message_uuids: string[]; pre_tokens: number; post_tokens: number };
}
