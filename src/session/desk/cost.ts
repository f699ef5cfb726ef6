/** What a session has cost, as its host is told. */
import { copyJson } from "../../protocol/copy-json.ts";
import type { ModelUsage } from "../../protocol/usage.ts";
import type { Ledger } from "../ledger/ledger.ts";

export interface SessionCost {
  totalUsd: number;
  modelUsage: Record<string, ModelUsage>;
  /** ms since the session was opened here. */
  durationMs: number;
  /** ms of all calls of models together, agents' included, since then. */
  apiDurationMs: number;
  /** Of files that Edit, Write and NotebookEdit changed, by agents too, since then. */
  linesAdded: number;
  linesRemoved: number;
}

export function sessionCost({ totalUsd, modelUsage, work }: Ledger): SessionCost {
  const { durationMs, apiMs, linesAdded, linesRemoved } = work;
  const done = { durationMs, apiDurationMs: Math.round(apiMs), linesAdded, linesRemoved };
  return { totalUsd, modelUsage: copyJson(modelUsage), ...done };
}
