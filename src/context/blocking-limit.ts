/** Layer 7: the window is full, and nothing can or may shrink it, so a request that would be refused is not made. */
import type { FitResult } from "../protocol/index.ts";
import { canDrain } from "./collapse-drain.ts";
import type { Pass } from "./layer.ts";

const refilledText =
  "It was full again right after each compaction, so nothing more is compacted in this turn. Send a new prompt that needs less at once, compact by hand (/compact), or start a new session (/clear).";

export function blockingLimit({
  world,
  input,
  window,
  tokens,
  messages,
}: Pass): Extract<FitResult, { kind: "full" }> | undefined {
  const { policy } = world;
  const wasCompacted = input.tracking.lastCompactedTurn === input.turnCount;
  if (wasCompacted || tokens <= window.blockAt || canDrain(world, messages)) return undefined;
  const full = {
    kind: "full" as const,
    estimatedTokens: tokens,
    limitTokens: window.blockAt,
    tracking: input.tracking,
  };
  if (input.tracking.isThrashing === true) return { ...full, why: refilledText };
  return policy.autoCompact || policy.reactiveCompact ? undefined : full;
}
