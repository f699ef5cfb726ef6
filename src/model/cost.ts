/** Converts tokens and prices to dollars. */
import type { PriceTier } from "../protocol/model.ts";
import { totalInputTokens, type Usage } from "../protocol/usage.ts";

export interface Cost {
  /** 0 if the price is unknown. */
  usd: number;
  known: boolean;
}

/** The published price factor for answers whose inference stayed within the US. */
export const usFactor = 1.1;

/** The whole prompt determines the tier. Cache writes without a stated lifetime count as five-minute writes. */
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
