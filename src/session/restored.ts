/** What a transcript says of the past is data: read field by field, and never a right. */
import type { Message } from "../protocol/message.ts";
import type { ModelUsage } from "../protocol/usage.ts";
import { isAmount } from "../transcript/check.ts";
import type { LedgerSnapshot } from "./ledger.ts";
import { isRecord } from "../lib/is-record.ts";

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

/** The list as the last TodoWrite left it, where the process died before the turn's end wrote it down. */
export function lastTodos(messages: readonly Message[]): unknown {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at]!;
    const output = message.type === "user" ? message.toolUseResult : undefined;
    if (isRecord(output) && Array.isArray(output["newTodos"]) && Array.isArray(output["oldTodos"]))
      return output["newTodos"];
  }
  return undefined;
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
