/** Shortens a conversation in the best way that works: the API's signed summary, our own summary, or a trim without the model. */
import type { ContextEvent, Message } from "../protocol/index.ts";
import { summaryText, trimmedText } from "./instructions.ts";
import type { Pass } from "./layer.ts";
import { newNotice } from "../protocol/new-record.ts";
import { createDigest } from "./local-trim.ts";
import { spanTokens, wholeTokens } from "./measure.ts";
import { planCompaction, type Plan } from "./plan.ts";
import { rewriteConversation, type Trigger } from "./rewrite.ts";
import { requestSignedSummary } from "./signed-summary.ts";
import { summarize, withoutAllMedia, type SummaryTask } from "./summarize.ts";
import { runWithinLimit } from "./time-limit.ts";

export interface ShortenOptions {
  trigger: Trigger;
  /** The size of the verbatim tail, tokens. */
  tailTokens: number;
  /** The most tokens the request should have; the local trim cuts until it does. */
  targetTokens: number;
  useModel: boolean;
  /** Whether to trim if there is no summary. As long as the conversation fits, nothing is dropped because a summary failed. */
  useTrim: boolean;
  /** Whether to leave images out of the part that is summarised, because the request for the summary must fit. */
  dropMedia: boolean;
}

export interface ShortenedConversation {
  plan: Plan;
  /** The summary of the part left out, without the text around it. */
  summary: string;
  messages: Message[];
}

export type ShortenResult =
  /** `lacking`: why there is no summary, if one was wanted and failed. */
  | { ok: true; conversation: ShortenedConversation; summarized: boolean; lacking?: string }
  /** `counts`: the summary itself failed, which counts toward the failures after which no more are tried. */
  | { ok: false; why: string; counts: boolean };

type SummaryOutcome =
  | { ok: true; conversation: ShortenedConversation }
  | { ok: false; why: string; kind: "failed" | "unpaid" | "aborted" };

/** Checks, before asking anyone, whether enough could be left out. Returns the plan, or why not. */
export function worthwhilePlan(pass: Pass, tailTokens: number): Plan | string {
  const least = pass.world.policy.minimumShrink;
  const bare = planCompaction(pass.messages, 0);
  if (bare === undefined || bare.older.length === 0) return "there is nothing to leave out but the last turn";
  const most = compareTokens(pass, [...bare.head, ...bare.tail]);
  if (most.after > most.before * (1 - least))
    return `there is too little to leave out: ${most.before - most.after} of ${most.before} tokens, less than ${least * 100} %`;
  return planFor(pass, tailTokens, false) ?? bare;
}

/** Returns a plan with that tail, or with none if only that saves enough; undefined if nothing does. */
function planFor(pass: Pass, tailTokens: number, atRoleBorder: boolean): Plan | undefined {
  const least = pass.world.policy.minimumShrink;
  for (const tokens of [tailTokens / pass.world.memory.scale, 0]) {
    const plan = planCompaction(pass.messages, tokens, atRoleBorder);
    if (plan === undefined || plan.older.length === 0) return undefined;
    const { before, after } = compareTokens(pass, [...plan.head, ...plan.tail]);
    if (after <= before * (1 - least)) return plan;
  }
  return undefined;
}

/** Shortens a conversation. All summary attempts together have one time limit; running into it counts as a failed summary. */
export async function* shorten(
  pass: Pass,
  plan: Plan,
  options: ShortenOptions,
  extra: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<ContextEvent, ShortenResult> {
  const attempted = options.useModel
    ? yield* shortenBySummary(pass, plan, options, extra, signal)
    : summaryNotRequested;
  if (signal.aborted) return { ok: false, why: "interrupted", counts: false };
  const outcome = requireProgress(pass, attempted);
  if (outcome.ok) return { ...outcome, summarized: true };
  const counts = outcome.kind === "failed" && options.useModel;
  if (!options.useTrim) return { ok: false, why: outcome.why, counts };
  const conversation = shortenByTrim(pass, options);
  if (conversation === undefined) return { ok: false, why: "the last turn alone is too large", counts };
  const why = progressProblem(pass, conversation.messages, "the trim");
  if (why !== undefined) return { ok: false, why, counts };
  return { ok: true, conversation, summarized: false, ...(counts ? { lacking: outcome.why } : {}) };
}

/** A summary as long as the part it replaces makes no room. */
function requireProgress(pass: Pass, outcome: SummaryOutcome): SummaryOutcome {
  if (!outcome.ok) return outcome;
  const why = progressProblem(pass, outcome.conversation.messages, "the compaction");
  return why === undefined ? outcome : { ok: false, why, kind: "failed" };
}

const summaryNotRequested: SummaryOutcome = { ok: false, why: "no summary was asked for", kind: "failed" };

async function* shortenBySummary(
  pass: Pass,
  plan: Plan,
  options: ShortenOptions,
  extra: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<ContextEvent, SummaryOutcome> {
  const limitMs = pass.world.policy.summaryTimeLimitMs;
  yield { type: "waiting", key: `${pass.input.key}.compact`, on: "compaction", name: "summary", limitMs };
  const { value, isLate } = yield* runWithinLimit(pass.world, limitMs, signal, async function* (within) {
    const signed = yield* shortenBySignedSummary(pass, options, extra, within);
    if (signed !== undefined && (signed.ok || signed.kind !== "failed")) return signed;
    return yield* shortenByOwnSummary(pass, plan, options, extra, within);
  });
  if (value.ok || !isLate) return value;
  return { ok: false, why: `it took longer than ${Math.round(limitMs / 1000)} s`, kind: "failed" };
}

/** Returns undefined if there is nothing to ask for: the model or policy allows no signed summary, the API refused one, or no plan fits. */
async function* shortenBySignedSummary(
  pass: Pass,
  options: ShortenOptions,
  extra: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<ContextEvent, SummaryOutcome | undefined> {
  const { world, input } = pass;
  const { policy, memory } = world;
  if (input.model.compaction !== true || !policy.signedSummaries || memory.signedRefused.has(input.model.id))
    return undefined;
  const plan = planFor(pass, options.tailTokens, true);
  if (plan === undefined) return undefined;
  const signed = yield* requestSignedSummary(world, createSummaryTask(pass, plan.before, extra), signal);
  if (signed.ok) return { ok: true, conversation: createShortened(pass, plan, options.trigger, signed) };
  if (signed.kind !== "refused") return { ...signed, kind: signed.kind };
  memory.signedRefused.add(input.model.id);
  yield newNotice(
    world,
    "info",
    "signed_summary_refused",
    `The API writes no summaries for ${input.model.id} here (${signed.why}); in this session the model itself is asked for them instead.`,
  );
  return { ok: false, why: signed.why, kind: "failed" };
}

async function* shortenByOwnSummary(
  pass: Pass,
  plan: Plan,
  { trigger, dropMedia }: ShortenOptions,
  extra: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<ContextEvent, SummaryOutcome> {
  const why = "only its summary is kept";
  const before = dropMedia ? withoutAllMedia(pass.world, plan.before, pass.input.model, why) : plan.before;
  const summary = yield* summarize(pass.world, createSummaryTask(pass, before, extra), signal);
  return summary.ok ? { ok: true, conversation: createShortened(pass, plan, trigger, summary) } : summary;
}

function createSummaryTask(
  { input, window }: Pass,
  messages: readonly Message[],
  extra: readonly string[],
): SummaryTask {
  const { model, fixedTokens, maxTokens, key } = input;
  return { messages, model, window: window.window, fixedTokens, maxTokens, extra, key };
}

function createShortened(
  { world, input }: Pass,
  plan: Plan,
  trigger: Trigger,
  { text, block }: { text: string; block?: Record<string, unknown> },
): ShortenedConversation {
  const rewriting = {
    trigger,
    model: input.model,
    summary: summaryText(text),
    ...(block === undefined ? {} : { block }),
  };
  return { plan, summary: text, messages: rewriteConversation(world, plan, rewriting) };
}

/** Keeps the longest tail that leaves room for the head, and describes what was left out in as many lines as fit. */
function shortenByTrim(pass: Pass, { trigger, targetTokens }: ShortenOptions): ShortenedConversation | undefined {
  const { world, input, messages } = pass;
  const { scale } = world.memory;
  const tokensOf = (messages: readonly Message[]) => wholeTokens(messages, input.fixedTokens, scale);
  const make = (plan: Plan, summary: string): ShortenedConversation => {
    return { plan, summary, messages: rewriteConversation(world, plan, { trigger, model: input.model, summary }) };
  };
  const bare = planCompaction(messages, 0);
  if (bare === undefined) return undefined;
  const least = make(bare, trimmedText([], undefined));
  const room = Math.max(0, targetTokens - tokensOf(least.messages));
  const digestTokens = Math.min(6_000, room / 4 / scale);
  const plan = planCompaction(messages, spanTokens(bare.tail) + (room - digestTokens * scale) / scale / 1.2) ?? bare;
  const { lines, earlier } = createDigest(plan.older, digestTokens / 1.2);
  const full = make(plan, trimmedText(lines, earlier));
  return tokensOf(full.messages) <= Math.max(targetTokens, tokensOf(least.messages)) ? full : least;
}

/** Recovery is judged by progress: returns what is wrong with the result, or undefined. */
function progressProblem(pass: Pass, messages: readonly Message[], stepName: string): string | undefined {
  const { before, after } = compareTokens(pass, messages);
  const least = pass.world.policy.minimumShrink;
  if (after <= before * (1 - least)) return undefined;
  return `${stepName} would leave ${after} of ${before} tokens, less than ${least * 100} % saved`;
}

/** Estimates both conversations with the same correction, so that they can be compared. */
export function compareTokens(
  { world, input, messages }: Pass,
  next: readonly Message[],
): { before: number; after: number } {
  const { scale } = world.memory;
  return {
    before: wholeTokens(messages, input.fixedTokens, scale),
    after: wholeTokens(next, input.fixedTokens, scale),
  };
}
