/** Tokens of one response, split as the provider does. Total input = input + cacheCreation + cacheRead. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  /** All cache writes. The 5m and 1h fields are its parts, if the provider tells them apart. */
  cacheCreationInputTokens: number;
  cacheReadInputTokens: number;
  cacheCreation5mInputTokens?: number;
  cacheCreation1hInputTokens?: number;
  webSearchRequests?: number;
  webFetchRequests?: number;
  thinkingTokens?: number;
  /** The service level that the provider says it used (`standard`, `priority`, `fast`…), as it came. */
  serviceTier?: string;
  /** The call was kept within the US, which costs more. */
  inferenceGeo?: "us";
}

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };

/** One model's share of a session. USD. Field names as SDK clients know them. */
export interface ModelUsage {
  inputTokens: number;
  outputTokens: number;
  cacheReadInputTokens: number;
  cacheCreationInputTokens: number;
  webSearchRequests: number;
  costUSD: number;
  contextWindow: number;
  maxOutputTokens: number;
  costBasis?: "list" | "managed" | "unknown";
}

export function totalInputTokens(usage: Usage): number {
  return usage.inputTokens + usage.cacheCreationInputTokens + usage.cacheReadInputTokens;
}
