/** The one way a conversation is compacted, whoever asks: plan, hooks, summary or local trim, attachments, boundary, judgement. */
import type { CompactBoundaryMessage, ContextEvent, Message } from "../protocol/index.ts";
import { afterCompaction, beforeCompaction } from "./hooks.ts";
import { noticeOf, type Pass } from "./layer.ts";
import { summaryText, trimmedText } from "./instructions.ts";
import { digestOf } from "./local-trim.ts";
import { messageTokens, spanTokens, wholeTokens } from "./measure.ts";
import { withoutMedia } from "./media.ts";
import { planCompaction, type Plan } from "./plan.ts";
import { boundaryOf, rewritten } from "./rewrite.ts";
import { summarize, type Summary } from "./summarize.ts";

export interface CompactionOptions {
  trigger: CompactBoundaryMessage["trigger"];
  /** The user's own word on what the summary is for. */
  instructions?: string;
  /** Tokens of verbatim tail. */
  tailTokens: number;
  /** Tokens the request should have at most; the local trim cuts until it does. */
  targetTokens: number;
  useModel: boolean;
  /** May go on without a summary. */
  useTrim: boolean;
  /** Images are left out of what is summarised: the request for it must fit. */
  dropMedia: boolean;
}

export type Compaction =
  | {
      ok: true;
      messages: Message[];
      boundary: CompactBoundaryMessage;
      beforeTokens: number;
      afterTokens: number;
      summarized: boolean;
    }
  /** `counts`: a failure of the summary itself, toward the three after which none is tried again. */
  | { ok: false; why: string; counts: boolean };

export async function* compact(
  pass: Pass,
  options: CompactionOptions,
  signal: AbortSignal,
): AsyncGenerator<ContextEvent, Compaction> {
  const { world } = pass;
  const plan = worthwhilePlan(pass, options.tailTokens / world.memory.scale);
  if (typeof plan === "string") return failed(plan);
  const before = yield* beforeCompaction(world, options.trigger, options.instructions ?? null, signal);
  if (before.blocked !== undefined) {
    yield noticeOf(
      world,
      "warning",
      "compaction_blocked",
      `A PreCompact hook blocked the compaction: ${before.blocked}`,
    );
    return failed(`a PreCompact hook blocked it: ${before.blocked}`);
  }
  yield { type: "compacting", trigger: options.trigger };
  const summary: Summary = options.useModel
    ? yield* summaryOf(pass, plan, options, [options.instructions ?? "", ...before.extra], signal)
    : { ok: false, why: "no summary was asked for", kind: "failed" };
  if (signal.aborted) return failed("interrupted");
  if (!summary.ok && !options.useTrim) return failed(summary.why, summary.kind === "failed");
  const made = summary.ok ? bySummary(pass, plan, options, summary.text) : byTrim(pass, options);
  const why = made === undefined ? "the last turn alone is too large" : progressProblem(pass, made.messages, options);
  if (made === undefined || why !== undefined) return failed(why ?? "", summary.ok || summary.kind === "failed");
  if (!summary.ok && options.useModel && summary.kind === "failed") yield withoutSummary(pass, summary.why);
  return yield* finished(pass, made, { ...options, summarized: summary.ok }, signal);
}

/** The plan with that tail, or with a shorter one where only that could save enough; why there is none, before anyone is asked. */
function worthwhilePlan(pass: Pass, tailTokens: number): Plan | string {
  const least = pass.world.policy.minimumShrink;
  const bare = planCompaction(pass.messages, 0);
  if (bare === undefined || bare.older.length === 0) return "there is nothing to leave out but the last turn";
  const most = compared(pass, [...bare.head, ...bare.tail]);
  if (most.after > most.before * (1 - least))
    return `there is too little to leave out: ${most.before - most.after} of ${most.before} tokens, less than ${least * 100} %`;
  const plan = planCompaction(pass.messages, tailTokens) ?? bare;
  const { before, after } = compared(pass, [...plan.head, ...plan.tail]);
  return after <= before * (1 - least) ? plan : bare;
}

function failed(why: string, counts = false): Compaction {
  return { ok: false, why, counts };
}

interface Made {
  plan: Plan;
  summary: string;
  messages: Message[];
}

/** Within its time limit, which counts as the summary's own failure. */
async function* summaryOf(
  pass: Pass,
  plan: Plan,
  options: CompactionOptions,
  extra: string[],
  signal: AbortSignal,
): AsyncGenerator<ContextEvent, Summary> {
  const { world, input, window } = pass;
  const { model, fixedTokens, key } = input;
  const limitMs = world.policy.summaryTimeLimitMs;
  yield { type: "waiting", key: `${key}.compact`, on: "compaction", name: "summary", limitMs };
  const why = "only its summary is kept";
  const older = options.dropMedia ? plan.older.map((message) => withoutMedia(message, why)) : plan.older;
  const task = { messages: [...plan.head, ...older], model, window: window.window, fixedTokens, extra, key };
  const controller = new AbortController();
  const forward = () => controller.abort(signal.reason);
  if (signal.aborted) forward();
  signal.addEventListener("abort", forward);
  const stop = world.clock.timer(limitMs, () => controller.abort("timeout"));
  try {
    const summary = yield* summarize(world, task, controller.signal);
    if (summary.ok || summary.kind !== "aborted" || signal.aborted) return summary;
    return { ok: false, why: `it took longer than ${Math.round(limitMs / 1000)} s`, kind: "failed" };
  } finally {
    stop();
    signal.removeEventListener("abort", forward);
  }
}

function bySummary({ world, input }: Pass, plan: Plan, { trigger }: CompactionOptions, text: string): Made {
  const summary = summaryText(text);
  return { plan, summary, messages: rewritten(world, plan, { trigger, model: input.model, summary, attached: [] }) };
}

/** The longest tail that leaves room for the head, and lines for what was left out in what room there is. */
function byTrim({ world, input, messages }: Pass, { trigger, targetTokens }: CompactionOptions): Made | undefined {
  const { scale } = world.memory;
  const tokensOf = (made: readonly Message[]) => wholeTokens(made, input.fixedTokens, scale);
  const make = (plan: Plan, summary: string): Made => ({
    plan,
    summary,
    messages: rewritten(world, plan, { trigger, model: input.model, summary, attached: [] }),
  });
  const bare = planCompaction(messages, 0);
  if (bare === undefined) return undefined;
  const least = make(bare, trimmedText([], undefined));
  const room = Math.max(0, targetTokens - tokensOf(least.messages));
  const digestTokens = Math.min(6_000, room / 4 / scale);
  const plan = planCompaction(messages, spanTokens(bare.tail) + (room - digestTokens * scale) / scale / 1.2) ?? bare;
  const { lines, earlier } = digestOf(plan.older, digestTokens / 1.2);
  const full = make(plan, trimmedText(lines, earlier));
  return tokensOf(full.messages) <= Math.max(targetTokens, tokensOf(least.messages)) ? full : least;
}

/** Recovery is judged by progress: what is wrong with it, or undefined. */
function progressProblem(pass: Pass, messages: readonly Message[], options: CompactionOptions): string | undefined {
  const { before, after } = compared(pass, messages);
  const least = pass.world.policy.minimumShrink;
  if (after <= before * (1 - least)) return undefined;
  return `${options.useModel ? "the compaction" : "the trim"} would leave ${after} of ${before} tokens, less than ${least * 100} % saved`;
}

/** Both sides by the same estimate, corrected by the same figure, so that they can be compared. */
function compared({ world, input, messages }: Pass, next: readonly Message[]): { before: number; after: number } {
  const { scale } = world.memory;
  return {
    before: wholeTokens(messages, input.fixedTokens, scale),
    after: wholeTokens(next, input.fixedTokens, scale),
  };
}

function withoutSummary({ world }: Pass, why: string) {
  return noticeOf(
    world,
    "warning",
    "compacted_without_summary",
    `The conversation was shortened without a summary, because none could be made: ${why}`,
  );
}

/** The hooks that come after, what is attached again, and the record. */
async function* finished(
  pass: Pass,
  made: Made,
  options: CompactionOptions & { summarized: boolean },
  signal: AbortSignal,
): AsyncGenerator<ContextEvent, Compaction> {
  const { world, input } = pass;
  const context = yield* afterCompaction(world, options.trigger, made.summary, signal);
  const { after: bare, before } = compared(pass, made.messages);
  const attached = [...(await reattached(pass, options.targetTokens - bare)), ...context];
  const messages = [...made.messages, ...attached];
  const after = wholeTokens(messages, input.fixedTokens, world.memory.scale);
  if (signal.aborted) return failed("interrupted");
  const boundary = boundaryOf(
    world,
    {
      trigger: options.trigger,
      preTokens: pass.tokens,
      postTokens: after,
      lastSummarizedUuid: made.plan.older.at(-1)?.uuid ?? null,
    },
    messages,
  );
  return { ok: true, messages, boundary, beforeTokens: before, afterTokens: after, summarized: options.summarized };
}

/** In their order, as many as fit; none is cut. What comes back is the loop's word, not the user's. */
async function reattached({ world }: Pass, room: number): Promise<Message[]> {
  let left = Math.min(world.policy.reattachTokens, room / world.memory.scale / 1.1);
  const fitting: Message[] = [];
  for (const item of await world.reattach()) {
    const cost = messageTokens(item).all;
    if (cost > left) continue;
    left -= cost;
    fitting.push(item.type === "user" ? { ...item, isMeta: true, origin: "compaction" } : item);
  }
  return fitting;
}
