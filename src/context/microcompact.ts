/**
 * Layer 2: replaces old, large results of tools that can be called again by one line each. It runs if that is cheaper than keeping
 * them (`clearing-cost.ts`), if the cache has expired so that there is nothing to break, or if the request would otherwise
 * need a summary, which costs more and loses more.
 *
 * The API has an edit of its own for this (`clear_tool_uses`). It is a beta that gateways and other clouds lack. It is triggered
 * by size rather than by cost, and what it cleared is known only from the answer, so neither the measurement before a request nor
 * the bytes sent by a resume could be predicted. The local layer is therefore used everywhere.
 */
import type { Steps } from "../lib/steps.ts";
import type { ContextEvent, CountedTokens, Message, ModelInfo, ResultsClearedMessage } from "../protocol/index.ts";
import { clearedMarker } from "./cleared-marker.ts";
import type { Change, History, Pass, World } from "./layer.ts";
import { newNotice, newRecordFields, strippedThinkingMark } from "../protocol/new-record.ts";
import { lastCountedResponse, requestTokens, safetyFactor, textTokens, type CountedResponse } from "./measure.ts";
import { judgeClearing, type ClearingJudgement } from "./clearing-cost.ts";
import { scanResults, type OldResult, type Scan } from "./old-results.ts";
import type { ContextPolicy } from "./policy.ts";
import { hasBoundThinking } from "./rewrite.ts";
import { realTokenRatio } from "./scale.ts";
import { smallerOfTokensAndShare, type WindowFigures } from "./window.ts";

export interface ClearingBudget {
  /** Of the next request. */
  tokens: number;
  fixedTokens: number;
  /** Ratio of real to estimated tokens, used while no response has been counted. */
  scale: number;
  window: WindowFigures;
  model: ModelInfo;
  turnCount: number;
  /** ms since the epoch. */
  now: number;
  cacheTtl: "5m" | "1h";
}

export interface ClearingPlan extends Pick<
  ResultsClearedMessage,
  "why" | "cleared" | "savedTokens" | "counted" | "expectedRequests" | "netUsd"
> {
  /** Thinking bound to the cleared results can no longer be sent. */
  strips: boolean;
}

export function* microcompact(pass: Pass): Steps<ContextEvent, Change | undefined> {
  const { world, input, messages, tokens, window } = pass;
  const { history, memory, policy, clock } = world;
  if (history === undefined) return undefined;
  const { model, fixedTokens, turnCount } = input;
  const { cacheTtl } = history;
  const budget = { tokens, fixedTokens, scale: memory.scale, window, model, turnCount, now: clock.now(), cacheTtl };
  memory.scan = scanResults(messages, scanRules(policy, history), memory.scan);
  const plan = planClearing(messages, budget, policy, memory.scan);
  if (plan === undefined) return undefined;
  const { strips, ...figures } = plan;
  const record: ResultsClearedMessage = { type: "results_cleared", ...newRecordFields(world), ...figures };
  // The mark comes first, so that the conversation between the two records can still be sent.
  const records = strips ? [strippedThinkingMark(world), record] : [record];
  const next = records.reduce<readonly Message[]>((folded, each) => history.fold(folded, each), messages);
  if (model.prices === undefined && !memory.hasReportedRatios) {
    memory.hasReportedRatios = true;
    yield ratiosNotice(world, model.id);
  }
  history.forgetShown();
  memory.scan = undefined;
  return {
    messages: next,
    records,
    tokens: requestTokens(next, fixedTokens, memory.scale),
    tracking: input.tracking,
  };
}

function ratiosNotice(world: World, model: string) {
  const text = `Old tool results are left out if that is cheaper. ${model} has no known prices, so the usual ratios are assumed: cache writes cost 1.25 times and cache reads 0.1 times the price of input. Set its prices in settings to change that.`;
  return newNotice(world, "info", "assumed_price_ratios", text);
}

function scanRules(policy: ContextPolicy, { rerun }: Pick<History, "rerun">) {
  return { leastTokens: policy.clearedResultTokens, rerun };
}

/** Returns which results to clear now, and why that pays off; undefined if it does not. Pure. */
export function planClearing(
  messages: readonly Message[],
  budget: ClearingBudget,
  policy: ContextPolicy,
  scan: Scan,
): ClearingPlan | undefined {
  const { tokens, window, model } = budget;
  const count = clearableCount(scan, policy);
  const [first, last] = [scan.results[0], scan.results[count - 1]];
  if (first === undefined || last === undefined) return undefined;
  const anchor = lastCountedResponse(messages);
  const before = scan.newest !== undefined && scan.newest.at === anchor?.start ? scan.newest.before : undefined;
  const real = realTokenRatio(messages, budget.fixedTokens, budget.scale, anchor, before) / safetyFactor;
  const saved = Math.min(tokens, Math.floor(last.cumulative.gain * real));
  if (saved < smallerOfTokensAndShare(window.effective, policy.minimumClearing)) return undefined;
  const strips = scan.thinking.lastAt > first.at && hasBoundThinking(messages.slice(first.at + 1), model);
  const expectedRequests = estimateRequestCount(messages, budget.turnCount, policy.expectedRequestsMost);
  const cache = estimateCache(budget, anchor);
  const { hasMedia } = last.cumulative;
  const judgement = judgeCase({ budget, scan, first, hasMedia, saved, strips, expectedRequests, cache, real });
  const why = judgement.isCheaper ? (cache.isExpired ? "cache_expired" : "money") : "room";
  if (why === "room" && !makesRoom(tokens, saved, window, policy)) return undefined;
  const figures = clearingFigures(scan.results.slice(0, count), strips ? scan.thinking.tokens : 0, anchor, real);
  return { why, ...figures, expectedRequests, netUsd: judgement.netUsd, strips };
}

/** Makes the figures of the record. Markers are made only once they are needed, because that takes reading the results. */
function clearingFigures(
  results: readonly OldResult[],
  lostThinking: number,
  anchor: CountedResponse | undefined,
  real: number,
): Pick<ClearingPlan, "cleared" | "savedTokens" | "counted"> {
  let saved = lostThinking;
  let inCount = lostThinking;
  const cleared = results.map(({ toolUseId, name, rerun, content, tokens, at }) => {
    const marker = clearedMarker(name, rerun, content);
    const gain = Math.max(0, tokens - textTokens(marker));
    saved += gain;
    if (anchor !== undefined && at < anchor.start) inCount += gain;
    return { toolUseId, marker };
  });
  const counted: CountedTokens | null =
    anchor === undefined ? null : { responseEnd: anchor.end.uuid, tokens: Math.floor(inCount * real) };
  return { cleared, savedTokens: Math.floor(saved * real), counted };
}

/** Counts the results that may be cleared: all except the newest, and except those that no response has seen. */
function clearableCount({ results, newest }: Scan, policy: ContextPolicy): number {
  let count = Math.max(0, results.length - policy.keptResults);
  while (count > 0 && results[count - 1]?.messageId === newest?.messageId) count--;
  return count;
}

/** Whether clearing ends clearly below the threshold. Otherwise the next few results would trigger it again. */
function makesRoom(tokens: number, saved: number, { compactAt }: WindowFigures, policy: ContextPolicy): boolean {
  if (tokens < compactAt || saved < tokens * policy.minimumShrink) return false;
  return tokens - saved < compactAt * (1 - policy.minimumShrink);
}

/**
 * Returns how many requests to assume: the next one, plus as many as the user turn had so far. What is cleared now would also be cleared
 * the next time, and that is expected to be as far off as the last clearing was, so no more than the requests since then.
 */
function estimateRequestCount(messages: readonly Message[], turnCount: number, maxCount: number): number {
  const wanted = Math.min(maxCount, Math.max(1, turnCount));
  let since = 1;
  for (let at = messages.length - 1; at >= 0 && since < wanted; at--) {
    const type = messages[at]?.type;
    if (type === "results_cleared") return since;
    if (type === "response_end") since++;
  }
  return wanted;
}

interface Cache {
  /** Tokens the next request would read from the cache if nothing changed. */
  cached: number;
  isExpired: boolean;
  /** Whether the server caches at all. */
  exists: boolean;
}

const ttlMs = { "5m": 5 * 60_000, "1h": 60 * 60_000 };

/** What the last response read and wrote stays cached until it expires. A model without prices is assumed to cache everything. */
function estimateCache({ now, cacheTtl, model, tokens }: ClearingBudget, anchor: CountedResponse | undefined): Cache {
  if (anchor === undefined) return { cached: tokens, isExpired: false, exists: true };
  const { usage, timestamp } = anchor.end;
  const inCache = usage.cacheReadInputTokens + usage.cacheCreationInputTokens;
  const isExpired = now - Date.parse(timestamp) > ttlMs[cacheTtl];
  const exists = inCache > 0 || model.prices === undefined;
  const cached = inCache > 0 ? inCache : usage.inputTokens;
  return { cached: isExpired ? 0 : Math.min(tokens, cached), isExpired, exists };
}

interface ClearingCase {
  budget: ClearingBudget;
  scan: Scan;
  first: OldResult;
  hasMedia: boolean;
  saved: number;
  strips: boolean;
  expectedRequests: number;
  cache: Cache;
  real: number;
}

function judgeCase({
  budget,
  scan,
  first,
  hasMedia,
  saved,
  strips,
  expectedRequests,
  cache,
  real,
}: ClearingCase): ClearingJudgement {
  const { model, fixedTokens, cacheTtl } = budget;
  // Clearing images invalidates the cache of the whole conversation.
  const unchanged = hasMedia ? 0 : cachedPrefix(scan, first, strips, budget);
  const clearing = {
    request: budget.tokens,
    cleared: saved,
    cached: cache.cached,
    stillCached: unchanged === 0 ? 0 : Math.min(cache.cached, (fixedTokens + unchanged) * real),
    lostThinking: strips ? scan.thinking.tokens * real : 0,
    requests: expectedRequests,
  };
  return judgeClearing(clearing, { prices: model.prices, ttl: cacheTtl, caches: cache.exists });
}

/**
 * Estimates the tokens of unchanged messages that are still cached; 0 for none. They end before the first cleared result, and were last
 * used by the request that brought it. If results were cleared before, they end with the newest of those.
 */
function cachedPrefix({ cleared, thinking }: Scan, first: OldResult, strips: boolean, budget: ClearingBudget): number {
  const { now, cacheTtl } = budget;
  const isWithin = (tokens: number, usedAt: string) =>
    now - Date.parse(usedAt) < ttlMs[cacheTtl] && (!strips || tokens <= thinking.before);
  if (cleared === undefined) return isWithin(first.before, first.message.timestamp) ? first.before : 0;
  const { end, record } = cleared;
  // A result of the same message is about to change, so what was cached there is invalid.
  if (end === undefined || end.messageId === first.messageId || end.tokens > first.before) return 0;
  return isWithin(end.tokens, record.timestamp) ? end.tokens : 0;
}
