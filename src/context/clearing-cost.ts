/**
 * Decides whether leaving out old results costs less than keeping them. Kept, they are read from the cache with every future request, which
 * is cheap each time. Left out, everything after them is written to the cache again, which is expensive once. Pure.
 */
import type { PriceTier, TokenPrices } from "../protocol/index.ts";

/** All figures but the last are in tokens. */
export interface Clearing {
  /** The next request as it is. */
  request: number;
  /** The part that would be left out. */
  cleared: number;
  /** The part of the request that the cache is expected to supply as things are. 0 once the cache has expired. */
  cached: number;
  /** The part of `cached` before the first change, which the cache still supplies. */
  stillCached: number;
  /** Thinking that could no longer be sent, because what it is bound to has changed. */
  lostThinking: number;
  /** The number of requests to come, including the next one. */
  requests: number;
}

export interface CacheRates {
  /** Undefined: the model has no prices, and the usual ratios are used instead. */
  prices: readonly PriceTier[] | undefined;
  ttl: "5m" | "1h";
  /** False if the server caches nothing: all input then costs the price of input. */
  caches: boolean;
}

export interface ClearingJudgement {
  /** Whether leaving out is cheaper. */
  isCheaper: boolean;
  /** The savings over the requests to come, less all costs; null if only ratios are known. */
  netUsd: number | null;
}

/** The usual ratios between prices, for a model without known prices. Only the sign of the outcome is meaningful then. */
const usualRatios: readonly PriceTier[] = [
  { input: 1, output: 5, cacheWrite5m: 1.25, cacheWrite1h: 2, cacheRead: 0.1 },
];

/** Lost thinking is charged as if the model had to think it again, plus once more for what is forgotten until then. */
const lostThinkingFactor = 2;

/**
 * Assumes that nothing joins the conversation and that each later request finds all of the previous one in the cache. Both assumptions
 * favour keeping: what joins costs the same either way, and after a pause everything kept is written again.
 */
export function judgeClearing(clearing: Clearing, rates: CacheRates): ClearingJudgement {
  const prices = rates.prices?.length === 0 ? undefined : rates.prices;
  const tiers = prices ?? usualRatios;
  const { request, cleared, cached, stillCached, lostThinking, requests } = clearing;
  const carried = inputCost({ tokens: request, cached, requests }, tiers, rates);
  const left = inputCost({ tokens: request - cleared, cached: stillCached, requests }, tiers, rates);
  const lost = (lostThinking * priceTierAt(tiers, request).output * lostThinkingFactor) / 1e6;
  const net = carried - left - lost;
  return { isCheaper: net > 0, netUsd: prices === undefined ? null : net };
}

/** Returns the USD for the input of `requests` requests, the first of which finds `cached` of its tokens in the cache. */
function inputCost(
  { tokens, cached, requests }: { tokens: number; cached: number; requests: number },
  tiers: readonly PriceTier[],
  { ttl, caches }: CacheRates,
): number {
  if (requests <= 0) return 0;
  const tier = priceTierAt(tiers, tokens);
  if (!caches) return (requests * tokens * tier.input) / 1e6;
  const found = Math.min(cached, tokens);
  const written = ttl === "1h" ? tier.cacheWrite1h : tier.cacheWrite5m;
  const first = found * tier.cacheRead + (tokens - found) * written;
  return (first + (requests - 1) * tokens * tier.cacheRead) / 1e6;
}

function priceTierAt(tiers: readonly PriceTier[], tokens: number): TokenPrices {
  const tier = tiers.find(({ upToInputTokens }) => upToInputTokens === undefined || tokens <= upToInputTokens);
  return tier ?? (tiers.at(-1) as PriceTier);
}
