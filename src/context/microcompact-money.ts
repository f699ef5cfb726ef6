/**
 * Whether leaving old results out costs less than carrying them. Carried, they are read from the cache with every request to
 * come, which is cheap each time. Left out, what follows them is written to the cache once more, which is dear, once. Pure.
 */
import type { PriceTier, TokenPrices } from "../protocol/index.ts";

/** All in tokens, but for the last. */
export interface Clearing {
  /** Of the next request as it is. */
  request: number;
  /** Of what would be left out of it. */
  cleared: number;
  /** Of the request as it is: what the cache is expected to supply. 0 once it has expired. */
  cached: number;
  /** Of `cached`: what stands before the first change, and is supplied all the same. */
  stillCached: number;
  /** Thinking that can no longer be sent, because what it is bound to has changed. */
  lostThinking: number;
  /** Requests to come, the next included. */
  requests: number;
}

export interface CacheRates {
  /** Undefined: the model has no prices, and the usual ratios stand in for them. */
  prices: readonly PriceTier[] | undefined;
  ttl: "5m" | "1h";
  /** False where the server caches nothing: all input then has the price of input. */
  caches: boolean;
}

export interface Judgement {
  /** Leaving out is cheaper. */
  wins: boolean;
  /** What it saves over the requests to come, less all it costs; null where only ratios are known. */
  netUsd: number | null;
}

/** What prices usually are to each other, for a model nobody described: only the sign of the outcome means anything then. */
const usualRatios: readonly PriceTier[] = [
  { input: 1, output: 5, cacheWrite5m: 1.25, cacheWrite1h: 2, cacheRead: 0.1 },
];

/** Lost thinking is paid for as if it had to be thought again, and once more for what is forgotten until then. */
const thinkingWorth = 2;

/**
 * Assumes that nothing joins the conversation and that each later request finds all of the one before in the cache. Both
 * favour carrying: what joins costs the same either way, and after a pause all that is carried is written anew.
 */
export function judgeClearing(clearing: Clearing, rates: CacheRates): Judgement {
  const prices = rates.prices?.length === 0 ? undefined : rates.prices;
  const tiers = prices ?? usualRatios;
  const { request, cleared, cached, stillCached, lostThinking, requests } = clearing;
  const carried = costOf({ tokens: request, cached, requests }, tiers, rates);
  const left = costOf({ tokens: request - cleared, cached: stillCached, requests }, tiers, rates);
  const lost = (lostThinking * tierAt(tiers, request).output * thinkingWorth) / 1e6;
  const net = carried - left - lost;
  return { wins: net > 0, netUsd: prices === undefined ? null : net };
}

/** USD of the input of `requests` requests, the first of which finds `cached` of its tokens in the cache. */
function costOf(
  { tokens, cached, requests }: { tokens: number; cached: number; requests: number },
  tiers: readonly PriceTier[],
  { ttl, caches }: CacheRates,
): number {
  if (requests <= 0) return 0;
  const tier = tierAt(tiers, tokens);
  if (!caches) return (requests * tokens * tier.input) / 1e6;
  const found = Math.min(cached, tokens);
  const written = ttl === "1h" ? tier.cacheWrite1h : tier.cacheWrite5m;
  const first = found * tier.cacheRead + (tokens - found) * written;
  return (first + (requests - 1) * tokens * tier.cacheRead) / 1e6;
}

function tierAt(tiers: readonly PriceTier[], tokens: number): TokenPrices {
  const tier = tiers.find(({ upToInputTokens }) => upToInputTokens === undefined || tokens <= upToInputTokens);
  return tier ?? (tiers.at(-1) as PriceTier);
}
