/** What a session says of its own past being made shorter, where no summary stands for it. Subtypes of ours. */
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
