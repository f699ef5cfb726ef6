/** The arithmetic of the context window. All figures are tokens. */
import { minUsefulAnswerTokens } from "../protocol/useful-answer.ts";
import type { ContextPolicy } from "./policy.ts";

export interface WindowFigures {
  /** What the model takes, input and output together. */
  window: number;
  /** The window less the reserve for output. Percentages refer to this. */
  effective: number;
  warnAt: number;
  compactAt: number;
  blockAt: number;
}

export function windowFigures(contextWindow: number, maxTokens: number, policy: ContextPolicy): WindowFigures {
  const window = Math.min(contextWindow, policy.maxContextTokens ?? contextWindow);
  const effective = effectiveWindow(window, maxTokens);
  const compactWindow = Math.min(window, policy.autoCompactWindow ?? window);
  const reserve = Math.min(policy.blockingReserve.tokens, effective * policy.blockingReserve.share);
  return {
    window,
    effective,
    warnAt: Math.floor((effective * policy.warnPercent) / 100),
    compactAt: Math.floor((effectiveWindow(compactWindow, maxTokens) * policy.autoCompactPercent) / 100),
    blockAt: Math.floor(effective - reserve),
  };
}

export function effectiveWindow(window: number, maxTokens: number): number {
  return Math.max(0, Math.floor(window - Math.min(maxTokens, 20_000, window / 4)));
}

/** How far an estimate may fall short. A server that adds up prompt and answer refuses a single token too many, at every turn. */
const estimateMargin = { tokens: 1_024, share: 0.05 };

/**
 * Returns the `max_tokens` that fits beside the request. If not even a useful reply seems to fit, it asks for one anyway: the estimate may
 * be too high, and if it is not, the overflow layers act on the API's refusal.
 */
export function fittingMaxTokens(window: number, estimatedTokens: number, wantedTokens: number): number {
  return Math.min(
    wantedTokens,
    Math.max(minUsefulAnswerTokens, window - estimatedTokens - smallerOfTokensAndShare(window, estimateMargin)),
  );
}

/** Returns the smaller of a figure and a share of the window. */
export function smallerOfTokensAndShare(
  effective: number,
  { tokens, share }: { tokens: number; share: number },
): number {
  return Math.floor(Math.min(tokens, effective * share));
}
