/** Layer 7: the window is full and nothing is allowed to shrink it, so the request that would be refused is not made. */
import type { FitResult } from "../protocol/index.ts";
import type { Pass } from "./layer.ts";

export function blockingLimit({
  world,
  input,
  window,
  tokens,
}: Pass): Extract<FitResult, { kind: "full" }> | undefined {
  const { policy, collapse } = world;
  const mayShrink =
    policy.autoCompact || policy.reactiveCompact || (policy.collapseDrain && collapse?.canDrain() === true);
  const wasCompacted = input.tracking.lastCompactedTurn === input.turnCount;
  if (mayShrink || wasCompacted || tokens <= window.blockAt) return undefined;
  return { kind: "full", estimatedTokens: tokens, limitTokens: window.blockAt, tracking: input.tracking };
}
