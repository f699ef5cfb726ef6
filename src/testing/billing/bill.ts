/** Adds up the cost of every call, including failed and cut ones. */
import type { WireUsage } from "../wire/types.ts";
import { promptTokens } from "./prices.ts";

export interface ModelBill {
  calls: number;
  inputTokens: number;
  outputTokens: number;
  cacheWriteTokens: number;
  cacheReadTokens: number;
  /** Undefined if the model has no price. */
  usd: number | undefined;
}

export interface BillSummary {
  /** USD of all calls whose model has a price. */
  totalUsd: number;
  /** By requested model. */
  perModel: Record<string, ModelBill>;
  /** Calls that used tokens but have no price. */
  unpricedCalls: number;
  /** Calls for which something was charged. */
  billedCalls: number;
}

export interface BilledCall {
  model: string;
  usage: WireUsage;
  usd: number | undefined;
}

export function billOf(calls: Iterable<BilledCall>): BillSummary {
  const summary = { totalUsd: 0, unpricedCalls: 0, billedCalls: 0 };
  const perModel = new Map<string, ModelBill>();
  for (const { model, usage, usd } of calls) {
    const line = perModel.get(model) ?? emptyModelBill();
    perModel.set(model, line);
    line.calls++;
    line.inputTokens += usage.input_tokens;
    line.outputTokens += usage.output_tokens;
    line.cacheWriteTokens += usage.cache_creation_input_tokens;
    line.cacheReadTokens += usage.cache_read_input_tokens;
    if (usd !== undefined) line.usd = (line.usd ?? 0) + usd;
    summary.billedCalls++;
    summary.totalUsd += usd ?? 0;
    if (usd === undefined) summary.unpricedCalls++;
  }
  return { ...summary, perModel: Object.fromEntries(perModel) };
}

/** Share of all prompt tokens that the cache supplied; 0 before the first call. */
export function cacheReadShareOf(calls: Iterable<BilledCall>): number {
  let prompt = 0;
  let read = 0;
  for (const { usage } of calls) {
    prompt += promptTokens(usage);
    read += usage.cache_read_input_tokens;
  }
  return prompt === 0 ? 0 : read / prompt;
}

function emptyModelBill(): ModelBill {
  return {
    calls: 0,
    inputTokens: 0,
    outputTokens: 0,
    cacheWriteTokens: 0,
    cacheReadTokens: 0,
    usd: undefined,
  };
}
