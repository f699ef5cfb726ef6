/** What a ledger tells the transcript, so that a resumed session continues from it. USD. */
import type { ModelUsage, Usage } from "../../protocol/usage.ts";

export interface LedgerSnapshot {
  totalUsd: number;
  byModel: Record<string, ModelUsage>;
  /** Calls that had not ended: what they had used when they began. Not in any total here. */
  open?: OpenCall[];
}

/** `messageId`: of an answer that the session's transcript records as well. */
export interface OpenCall {
  model: string;
  usage: Usage;
  messageId?: string;
}
