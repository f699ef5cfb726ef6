/** Layer 4: above the threshold, summarises the older part of the conversation before the next request. */
import { stepsFromGenerator, type Steps } from "../lib/steps.ts";
import type { AutoCompactTracking, ContextEvent } from "../protocol/index.ts";
import { compact, type Compaction } from "./compact.ts";
import { failedSummaries, type Change, type Pass } from "./layer.ts";
import { newNotice } from "../protocol/new-record.ts";
import { learnScale } from "./scale.ts";
import { detectThrashing } from "./thrash.ts";
import { smallerOfTokensAndShare } from "./window.ts";

/**
 * Compacts if it is due. After `failuresUntilStop` failed summaries in a row, the session asks for no more; the local trim still runs if
 * the request would otherwise be refused.
 */
export function* autoCompact(pass: Pass, signal: AbortSignal): Steps<ContextEvent, Change | undefined> {
  const { world, input, window, tokens } = pass;
  const { memory, policy } = world;
  const isUrgent = tokens >= window.blockAt;
  if (tokens < Math.min(window.compactAt, window.blockAt)) return undefined;
  if (input.tracking.lastCompactedTurn === input.turnCount && !isUrgent) return undefined;
  const failures = failedSummaries(pass);
  const useModel = failures < policy.failuresUntilStop;
  if ((!useModel && !isUrgent) || input.tracking.isThrashing === true) return undefined;
  const stopped = detectThrashing(pass);
  if (stopped !== undefined) {
    yield stopped;
    return { messages: pass.messages, records: [], tokens, tracking: { ...input.tracking, isThrashing: true } };
  }
  learnScale(pass, tokens);
  const how = {
    trigger: "auto" as const,
    tailTokens: smallerOfTokensAndShare(window.effective, policy.keepRecent),
    targetTokens: Math.floor(Math.min(window.effective, window.compactAt) * policy.trimTargetShare),
    useModel,
    useTrim: isUrgent,
    dropMedia: false,
  };
  const compaction = yield* stepsFromGenerator(compact(pass, how, signal));
  if (signal.aborted) return undefined;
  const tracking = trackingAfter(pass, compaction, failures);
  memory.failures = tracking.consecutiveFailures;
  if (tracking.consecutiveFailures >= policy.failuresUntilStop && !memory.hasReportedStop) {
    memory.hasReportedStop = true;
    yield stoppedNotice(pass, compaction);
  }
  memory.hasCompacted = compaction.ok;
  if (!compaction.ok) return { messages: pass.messages, records: [], tokens, tracking };
  return { messages: compaction.messages, records: [compaction.boundary], tokens: compaction.afterTokens, tracking };
}

function trackingAfter({ input }: Pass, compaction: Compaction, failures: number): AutoCompactTracking {
  if (!compaction.ok) return { ...input.tracking, consecutiveFailures: failures + (compaction.counts ? 1 : 0) };
  // A trim made room without a summary: the model has still failed.
  return {
    ...input.tracking,
    lastCompactedTurn: input.turnCount,
    consecutiveFailures: compaction.summarized ? 0 : failures + 1,
  };
}

function stoppedNotice({ world }: Pass, compaction: Compaction) {
  const why = compaction.ok ? "no summary could be made" : compaction.why;
  const count = world.policy.failuresUntilStop;
  const text = `Automatic compaction has failed ${count} times in a row (${why}) and is off for this session. When the window is full, the oldest part of the conversation is left out without a summary.`;
  return newNotice(world, "warning", "auto_compact_stopped", text);
}
