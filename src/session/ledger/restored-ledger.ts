/** The money that a transcript tells of is data: read field by field, and never a right. */
import type { ModelUsage } from "../../protocol/usage.ts";
import { isAmount } from "../../transcript/check.ts";
import type { LedgerSnapshot } from "./ledger.ts";
import { isRecord } from "../../lib/is-record.ts";

export function restoredLedger(value: unknown): LedgerSnapshot | undefined {
  if (!isRecord(value) || !isAmount(value["totalUsd"])) return undefined;
  const byModel: Record<string, ModelUsage> = {};
  const models = isRecord(value["byModel"]) ? value["byModel"] : {};
  for (const [model, usage] of Object.entries(models)) {
    const read = isRecord(usage) ? modelUsage(usage) : undefined;
    if (read !== undefined) byModel[model] = read;
  }
  return { totalUsd: value["totalUsd"], byModel };
}

const amounts = [
  "inputTokens",
  "outputTokens",
  "cacheReadInputTokens",
  "cacheCreationInputTokens",
  "webSearchRequests",
  "costUSD",
  "contextWindow",
  "maxOutputTokens",
] as const;

function modelUsage(value: Record<string, unknown>): ModelUsage | undefined {
  const usage: Partial<ModelUsage> = {};
  for (const key of amounts) {
    const amount = value[key];
    if (!isAmount(amount)) return undefined;
    usage[key] = amount;
  }
  if (value["costBasis"] === "unknown") usage.costBasis = "unknown";
  return usage as ModelUsage;
}
