// What calls cost here, by the published list and the plan's own models: not by the engine's catalogue.
import { costOf, priceList, type Price } from "../../src/testing/billing/prices.ts";
import type { RequestRecord } from "../../src/testing/index.ts";
import { primaryModel, spareModel, type Plan } from "./plan.ts";

/** USD per million tokens. */
export function pricesOf({ prices: { input, output } }: Plan) {
  return { input, output, cacheWrite5m: input * 1.25, cacheWrite1h: input * 2, cacheRead: input * 0.1 };
}

const published = priceList();

function priceOf(plan: Plan, model: string): Price {
  const price = model === primaryModel || model === spareModel ? pricesOf(plan) : published.find(model);
  if (price === undefined) throw new Error(`${model} has no price.`);
  return price;
}

/** USD of a call whose answer is as long as it may be, by what the server read of it; without its prompt where it read none. */
export function maxCallUsd(plan: Plan, model: string, maxTokens: number, record: RequestRecord | null): number {
  const { promptTokens = 0, readTokens = 0, write5mTokens = 0, write1hTokens = 0 } = record?.cache ?? {};
  return costOf(priceOf(plan, model), {
    input_tokens: promptTokens - readTokens - write5mTokens - write1hTokens,
    output_tokens: maxTokens,
    cache_read_input_tokens: readTokens,
    cache_creation_input_tokens: write5mTokens + write1hTokens,
    cache_creation: { ephemeral_5m_input_tokens: write5mTokens, ephemeral_1h_input_tokens: write1hTokens },
    service_tier: "standard",
  });
}
