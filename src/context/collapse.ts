/**
 * Layer 3: from `collapsePercent` of the window on, finished work is summarised in the background, a span at a time; over the
 * threshold of auto-compact the summaries take the place of their spans, as many as are needed. Below it costs a comparison.
 */
import { commitUntil } from "./collapse-commit.ts";
import { failedSummaries, type Change, type CollapseStore, type Pass, type PrepareLayer } from "./layer.ts";
import { learnScale } from "./scale.ts";

export const collapseFinished: PrepareLayer = function* (pass, signal) {
  const { collapse } = pass.world;
  if (collapse === undefined || signal.aborted || pass.tokens < stageAt(pass)) return undefined;
  const isNeeded = pass.tokens >= commitAt(pass);
  const change = isNeeded ? committed(pass, collapse) : undefined;
  if (change !== undefined) yield { type: "compacting", trigger: "auto" };
  // What auto-compact is about to summarise needs no summary of its own. Who was told of it may have cancelled meanwhile.
  const isWanted = !isNeeded || change !== undefined || !mayCompact(pass);
  if (isWanted && !signal.aborted) collapse.stage({ ...pass, ...change });
  return change;
};

/** A share of the window, and as much earlier as auto-compact comes earlier than by default. */
function stageAt({ window, world: { policy } }: Pass): number {
  const share = policy.collapsePercent / 100;
  return Math.min(window.effective * share, (window.compactAt * share) / defaultCompactShare);
}

const defaultCompactShare = 0.9;

/** Where auto-compact would act. */
function commitAt({ window }: Pass): number {
  return Math.min(window.compactAt, window.blockAt);
}

/**
 * Breaks the prompt cache from the first span on, and where thinking is bound to its prefix strips it. So does auto-compact,
 * which also reads and rewrites all of the rest: committing wins where it makes room for a while, and only there. Where it
 * would not, the cache is left whole for auto-compact's own call.
 */
function committed(pass: Pass, collapse: CollapseStore): Change | undefined {
  const { world, window, input, messages } = pass;
  const places = collapse.places(messages);
  if (places.length === 0) return undefined;
  learnScale(pass, pass.tokens);
  const target = commitAt(pass) - window.effective * world.policy.collapseRoom;
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
