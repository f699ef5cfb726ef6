/** The most a call can cost, by the bytes of its request or by the server's own count of its tokens. */
import type { AdmissionRequest } from "../../protocol/money.ts";
import type { PriceTier } from "../../protocol/model.ts";

/** USD. */
export interface CallCostBound {
  inputUsd: number;
  outputUsdPerToken: number;
}

/** A call that was not made, because its minimum cost exceeded what was left. USD. */
export interface UnaffordableCall {
  model: string;
  leastUsd: number;
  /** The part of it that is for the request. */
  inputUsd: number;
  /** Upper bound of the tokens in the request. */
  requestTokens: number;
}

/** Upper bound of the tokens that the API itself adds to a prompt (tool use, formatting). */
const hiddenTokens = 1_000;

/** Every token of a request has at least one byte; each may be a cache write; the most expensive tier that can apply counts. */
export function callCostBound(
  prices: readonly PriceTier[],
  tokens: number,
  cacheTtl: "5m" | "1h",
  factor: number,
): CallCostBound {
  const inputTokens = tokens + hiddenTokens;
  let input = 0;
  let output = 0;
  let reached = 0;
  for (const tier of prices) {
    if (reached > inputTokens) break;
    const write = cacheTtl === "1h" ? tier.cacheWrite1h : tier.cacheWrite5m;
    input = Math.max(input, tier.input, write);
    output = Math.max(output, tier.output);
    reached = tier.upToInputTokens ?? Infinity;
  }
  return { inputUsd: (inputTokens * input * factor) / 1e6, outputUsdPerToken: (output * factor) / 1e6 };
}

/** Third-party endpoints may answer 0 or 1. An estimate is far off only for text of nothing but blanks, and by no more than this factor. */
const maxOverestimate = 10;

export function isPlausibleCount(request: AdmissionRequest, counted: number): boolean {
  return (counted + request.mediaTokens(true)) * maxOverestimate >= request.estimatedInputTokens;
}

/** Bytes that bound tokens: each token has at least one byte of them. */
export function textBytes(request: AdmissionRequest): number {
  return request.requestBytes - (request.mediaBytes?.() ?? 0);
}

/** The API's count bounds the text, and what links lead to; media in the request itself also have a bound of their own. */
export function tokenBoundFromCount(counted: number, request: AdmissionRequest, mediaTokens: number): number {
  const most = Math.ceil(counted * 1.05);
  const seen = request.mediaTokens(true);
  return seen + (seen < mediaTokens ? most : Math.min(textBytes(request), most));
}
