/** What a session has cost, as its host is told. */
import type { ModelUsage } from "../../protocol/usage.ts";
import type { Ledger } from "../ledger.ts";

export interface SessionCost {
  totalUsd: number;
  modelUsage: Record<string, ModelUsage>;
}

export function sessionCost({ totalUsd, modelUsage }: Ledger): SessionCost {
  return { totalUsd, modelUsage: structuredClone(modelUsage) };
}
