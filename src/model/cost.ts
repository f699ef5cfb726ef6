/** Tokens and prices to dollars. */
import type { PriceTier } from "../protocol/model.ts";
import { totalInputTokens, type Usage } from "../protocol/usage.ts";

export interface Cost {
  /** 0 where the price is not known. */
  usd: number;
  known: boolean;
}

/** Of an answer that was kept within the US, by the published prices. */
export const usFactor = 1.1;

/** The tier is chosen by the whole prompt; cache writes the provider did not tell apart count as five-minute ones. */
export function costOf(prices: readonly PriceTier[] | undefined, usage: Usage): Cost {
  const prompt = totalInputTokens(usage);
  const tier =
    prices?.find(({ upToInputTokens }) => upToInputTokens === undefined || prompt <= upToInputTokens) ?? prices?.at(-1);
  if (tier === undefined) return { usd: 0, known: false };
  const oneHour = usage.cacheCreation1hInputTokens ?? 0;
  const fiveMinutes = Math.max(usage.cacheCreationInputTokens - oneHour, 0);
  const microDollars =
    usage.inputTokens * tier.input +
    usage.outputTokens * tier.output +
    fiveMinutes * tier.cacheWrite5m +
    oneHour * tier.cacheWrite1h +
    usage.cacheReadInputTokens * tier.cacheRead;
  const factor = usage.inferenceGeo === "us" ? usFactor : 1;
  return { usd: (microDollars * factor) / 1_000_000, known: true };
}
