/** What a call can cost at most, by the bytes of its request or by a server's own count of its tokens. */
import type { AdmissionRequest } from "../../protocol/money.ts";
import type { PriceTier } from "../../protocol/model.ts";

/** USD. */
export interface CallBound {
  inputUsd: number;
  outputUsdPerToken: number;
}

/** A call that was not made, since its least cost was more than what was left. USD. */
export interface DearCall {
  model: string;
  leastUsd: number;
  /** Of that, what its request would have cost. */
  inputUsd: number;
  /** The most there can be in it. */
  requestTokens: number;
}

/** What the API itself adds to a prompt (tool use, formatting), at most, tokens. */
const hiddenTokens = 1_000;

/** Every token of a request has at least one byte; each may be a cache write; the dearest tier that can apply does. */
export function callBound(
  prices: readonly PriceTier[],
  tokens: number,
  cacheTtl: "5m" | "1h",
  factor: number,
): CallBound {
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

/** Endpoints of others answer with 0 or 1. An estimate is far off for text of blanks alone, and not by more than this. */
const mostOverEstimate = 10;

export function isCountOf(request: AdmissionRequest, counted: number): boolean {
  return (counted + request.mediaTokens(true)) * mostOverEstimate >= request.estimatedInputTokens;
}

/** Bytes that bound tokens: each of these has at least one. */
export function textBytes(request: AdmissionRequest): number {
  return request.requestBytes - (request.mediaBytes?.() ?? 0);
}

/** What the API has counted bounds the text, and what is behind links; media that are seen are bounded by themselves as well. */
export function countedTokens(counted: number, request: AdmissionRequest, mediaTokens: number): number {
  const most = Math.ceil(counted * 1.05);
  const seen = request.mediaTokens(true);
  return seen + (seen < mediaTokens ? most : Math.min(textBytes(request), most));
}
