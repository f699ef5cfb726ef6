/** What a session says of its own past being made shorter, where no summary stands for all of it. Subtypes of ours. */
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

/** Results of old calls gave way to a line each in what the model is sent. */
export interface SDKResultsCleared extends OfHistory {
  subtype: "results_cleared";
  reason: ResultsClearedMessage["why"];
  tool_use_ids: string[];
  saved_tokens: number;
  /** Expected, over the requests to come; null where the model has no prices. */
  saved_usd: number | null;
}

/** A summary stands for a span of finished work from here on. */
export interface SDKCollapseCommit extends OfHistory {
  subtype: "collapse_commit";
  collapse_metadata: { message_uuids: string[]; pre_tokens: number; post_tokens: number };
}
