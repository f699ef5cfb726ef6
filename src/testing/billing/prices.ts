/**
 * What a call costs, by the published price list (read 2026-11). The table is separate from the product's catalogue, so that a
 * wrong figure there shows as a difference instead of cancelling out.
 */
import { canonicalModel } from "../models.ts";
import type { WireUsage } from "../wire/types.ts";

/** USD per million tokens. */
export interface Rates {
  input: number;
  output: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  cacheRead: number;
}

export interface Price extends Rates {
  /** Rates for a whole call whose prompt (input, cache writes and reads together) has more tokens than this. */
  above?: { promptTokens: number; rates: Rates };
  /** Rates under `speed: "fast"`. */
  fast?: Rates;
}

/** The usual multipliers: 1.25 and 2 for the two writes, 0.1 for a read. */
function standardPrice(input: number, output: number, readShare = 0.1): Price {
  return {
    input,
    output,
    cacheWrite5m: input * 1.25,
    cacheWrite1h: input * 2,
    cacheRead: input * readShare,
  };
}

const opusFast = standardPrice(10, 50);

const publishedPrices: Record<string, Price> = {
  "claude-fable-5-2": standardPrice(8, 40, 0.025),
  "claude-mythos-5-2": standardPrice(8, 40, 0.025),
  "claude-opus-5-5": { ...standardPrice(4, 20, 0.05), fast: standardPrice(8, 40, 0.05) },
  "claude-sonnet-5-5": standardPrice(2, 10),
  "claude-haiku-5-5": {
    ...standardPrice(0.1, 0.5),
    above: { promptTokens: 100_000, rates: standardPrice(0.5, 2.5) },
  },
  "claude-fable-5-1": standardPrice(10, 50, 0.025),
  "claude-mythos-5-1": standardPrice(10, 50, 0.025),
  "claude-fable-5": standardPrice(10, 50),
  "claude-mythos-5": standardPrice(10, 50),
  "claude-opus-5": { ...standardPrice(5, 25), fast: opusFast },
  "claude-opus-4-8": { ...standardPrice(5, 25), fast: opusFast },
  "claude-opus-4-7": standardPrice(5, 25),
  "claude-opus-4-6": standardPrice(5, 25),
  "claude-opus-4-5": standardPrice(5, 25),
  "claude-sonnet-5": standardPrice(2, 10),
  "claude-sonnet-4-6": standardPrice(3, 15),
  "claude-sonnet-4-5": standardPrice(3, 15),
  "claude-haiku-4-5": standardPrice(1, 5),
};

export interface PriceList {
  find(model: string): Price | undefined;
}

export function priceList(overrides: Record<string, Price> = {}): PriceList {
  return {
    find(model) {
      for (const source of [overrides, publishedPrices]) {
        for (const id of [model, canonicalModel(model)]) {
          if (Object.hasOwn(source, id)) return source[id];
        }
      }
      return undefined;
    },
  };
}

export interface CostOptions {
  fast?: boolean;
  /** US-only inference costs a tenth more. */
  usOnly?: boolean;
}

/** USD of one call. The tier follows the prompt's whole size, cached or not. */
export function costOf(price: Price, usage: WireUsage, options: CostOptions = {}): number {
  const prompt = promptTokens(usage);
  let rates: Rates = price;
  if (price.above !== undefined && prompt > price.above.promptTokens) rates = price.above.rates;
  if (options.fast === true && price.fast !== undefined) rates = price.fast;
  const writes1h = usage.cache_creation.ephemeral_1h_input_tokens;
  const writes5m = usage.cache_creation_input_tokens - writes1h;
  const total =
    usage.input_tokens * rates.input +
    usage.output_tokens * rates.output +
    writes5m * rates.cacheWrite5m +
    writes1h * rates.cacheWrite1h +
    usage.cache_read_input_tokens * rates.cacheRead;
  return (total / 1_000_000) * (options.usOnly === true ? 1.1 : 1);
}

export function promptTokens(usage: WireUsage): number {
  return usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
}
