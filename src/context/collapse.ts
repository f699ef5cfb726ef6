/**
 * Layer 3: above `collapsePercent` of the window, finished work is summarised in the background, one span at a time. Above the auto-compact
 * threshold, as many summaries as needed replace their spans. Below the first threshold it costs one comparison.
 */
import { commitUntil } from "./collapse-commit.ts";
import { failedSummaries, type Change, type CollapseStore, type Pass, type PrepareLayer } from "./layer.ts";
import { learnScale } from "./scale.ts";

export const collapseFinished: PrepareLayer = function* (pass, signal) {
  const { collapse } = pass.world;
  if (collapse === undefined || signal.aborted || pass.tokens < stagingThreshold(pass)) return undefined;
  const isNeeded = pass.tokens >= commitThreshold(pass);
  const change = isNeeded ? commitStaged(pass, collapse) : undefined;
  if (change !== undefined) yield { type: "compacting", trigger: "auto" };
  // Auto-compact is about to summarise this work, so it needs no summary of its own. The consumer may have cancelled on the event above.
  const isWanted = !isNeeded || change !== undefined || !mayCompact(pass);
  if (isWanted && !signal.aborted) collapse.stage({ ...pass, ...change });
  return change;
};

/** Returns where staging starts: a share of the window, lowered in proportion if auto-compact starts earlier than by default. */
function stagingThreshold({ window, world: { policy } }: Pass): number {
  const share = policy.collapsePercent / 100;
  return Math.min(window.effective * share, (window.compactAt * share) / defaultCompactShare);
}

const defaultCompactShare = 0.9;

/** Returns where auto-compact would act. */
function commitThreshold({ window }: Pass): number {
  return Math.min(window.compactAt, window.blockAt);
}

/**
 * Commits staged summaries. This breaks the prompt cache from the first span on, and strips thinking that is bound to its prefix.
 * Auto-compact does the same and also reads and rewrites all of the rest, so committing is better if it frees enough room for a while. If
 * it would not, the cache is left intact for auto-compact's own call.
 */
function commitStaged(pass: Pass, collapse: CollapseStore): Change | undefined {
  const { world, window, input, messages } = pass;
  const places = collapse.places(messages);
  if (places.length === 0) return undefined;
  learnScale(pass, pass.tokens);
  const target = commitThreshold(pass) - window.effective * world.policy.collapseRoom;
  const made = commitUntil(pass, places, target);
  const least = mayCompact(pass) ? target : pass.tokens * (1 - world.policy.minimumDrain);
  if (made.tokens > least) return undefined;
  world.history?.forgetShown();
  return { messages: made.messages, records: made.records, tokens: made.tokens, tracking: input.tracking };
}

function mayCompact(pass: Pass): boolean {
  const { policy } = pass.world;
  const { tracking, turnCount } = pass.input;
  const hasJust = tracking.lastCompactedTurn === turnCount || tracking.isThrashing === true;
  return policy.autoCompact && failedSummaries(pass) < policy.failuresUntilStop && !hasJust;
}
