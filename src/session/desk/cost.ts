/** The cost of a session, as reported to its host. */
import { copyJson } from "../../protocol/copy-json.ts";
import type { ModelUsage } from "../../protocol/usage.ts";
import type { Ledger } from "../ledger/ledger.ts";

export interface SessionCost {
  totalUsd: number;
  modelUsage: Record<string, ModelUsage>;
  /** ms since the session was opened in this process. */
  durationMs: number;
  /** ms of all model calls together, including agents', since then. */
  apiDurationMs: number;
  /** Lines in files changed by Edit, Write and NotebookEdit, including by agents, since then. */
  linesAdded: number;
  linesRemoved: number;
}

export function sessionCost({ totalUsd, modelUsage, work }: Ledger): SessionCost {
  const { durationMs, apiMs, linesAdded, linesRemoved } = work;
  const done = { durationMs, apiDurationMs: Math.round(apiMs), linesAdded, linesRemoved };
  return { totalUsd, modelUsage: copyJson(modelUsage), ...done };
}
