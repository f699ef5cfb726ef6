// A ledger with one model's prices, and what it is asked for.
import { Ledger, type LedgerOptions } from "../../src/session/ledger/ledger.ts";
import type { ModelInfo, PriceTier } from "../../src/protocol/model.ts";
import type { Admission, AdmissionRequest } from "../../src/protocol/money.ts";
import { totalInputTokens, type Usage } from "../../src/protocol/usage.ts";

export const flat: PriceTier[] = [{ input: 2, output: 10, cacheWrite5m: 2.5, cacheWrite1h: 4, cacheRead: 0.2 }];
/** What the API adds to a prompt by itself. */
export const hidden = 1_000;

export function info(id: string, prices: PriceTier[] | undefined): ModelInfo {
  return {
    id,
    known: prices !== undefined,
    contextWindow: 200_000,
    maxOutputTokens: 64_000,
    thinking: "none",
    thinkingBoundToPrefix: false,
    keepsOldThinking: false,
    efforts: [],
    minCacheTokens: 1_024,
    maxImages: 100,
    ...(prices === undefined ? {} : { prices }),
  };
}

/** As the provider bills: the tier of the whole prompt for all of it. */
export function bill(prices: PriceTier[], usage: Usage): number {
  const prompt = totalInputTokens(usage);
  const tier = prices.find(({ upToInputTokens }) => upToInputTokens === undefined || prompt <= upToInputTokens)!;
  const { inputTokens, cacheCreationInputTokens, cacheReadInputTokens, outputTokens } = usage;
  const input = inputTokens * tier.input + cacheCreationInputTokens * tier.cacheWrite5m;
  return (input + cacheReadInputTokens * tier.cacheRead + outputTokens * tier.output) / 1e6;
}

export function ledgerOf(options: Partial<LedgerOptions> = {}, prices: PriceTier[] | undefined = flat): Ledger {
  return new Ledger({
    info: (model) => info(model, model === "unpriced" ? undefined : prices),
    costOf: (model, usage) =>
      model === "unpriced" ? { usd: 0, known: false } : { usd: bill(prices ?? flat, usage), known: true },
    cacheTtl: "5m",
    onUnknownModel: () => undefined,
    ...options,
  });
}

export function asking(more: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return {
    model: "m",
    requestBytes: 9_000,
    estimatedInputTokens: 2_500,
    maxTokens: 8_000,
    mediaTokens: () => 0,
    ...more,
  };
}

export function ticketOf(admission: Admission): string {
  if (!admission.admitted) throw new Error(admission.message);
  return admission.ticket;
}

/** USD of 10,000 input tokens at cache-write price, and 8,000 of output. */
export const whole = (10_000 * 2.5 + 8_000 * 10) / 1e6;
