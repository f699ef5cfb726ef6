/** Costs recorded in a transcript are data: read field by field, and never treated as a permission. */
import type { ModelUsage } from "../../protocol/usage.ts";
import { isAmount } from "../../transcript/predicates.ts";
import type { LedgerSnapshot } from "./ledger-snapshot.ts";
import { isRecord } from "../../lib/is-record.ts";

export function readLedgerSnapshot(value: unknown): LedgerSnapshot | undefined {
  if (!isRecord(value) || !isAmount(value["totalUsd"])) return undefined;
  const models = isRecord(value["byModel"]) ? value["byModel"] : {};
  const byModel = Object.entries(models).flatMap(([model, usage]): [string, ModelUsage][] => {
    const read = isRecord(usage) ? readModelUsage(usage) : undefined;
    return read === undefined ? [] : [[model, read]];
  });
  return { totalUsd: value["totalUsd"], byModel: Object.fromEntries(byModel) };
}

const usageFields = [
  "inputTokens",
  "outputTokens",
  "cacheReadInputTokens",
  "cacheCreationInputTokens",
  "webSearchRequests",
  "costUSD",
  "contextWindow",
  "maxOutputTokens",
] as const;

function readModelUsage(value: Record<string, unknown>): ModelUsage | undefined {
  const usage: Partial<ModelUsage> = {};
  for (const key of usageFields) {
    const amount = value[key];
    if (!isAmount(amount)) return undefined;
    usage[key] = amount;
  }
  if (value["costBasis"] === "unknown") usage.costBasis = "unknown";
  return usage as ModelUsage;
}
