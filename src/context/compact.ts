/** The only way to compact a conversation, for every caller: plan, hooks, a shorter conversation, attachments, boundary. */
import type { CompactBoundaryMessage, ContextEvent, Message, ShrinkResult } from "../protocol/index.ts";
import { afterCompaction, beforeCompaction, fittingContext } from "./hooks.ts";
import type { Pass } from "./layer.ts";
import { newNotice } from "../protocol/new-record.ts";
import { wholeTokens } from "./measure.ts";
import { selectReattachments } from "./reattach.ts";
import { createBoundary } from "./rewrite.ts";
import { compareTokens, shorten, worthwhilePlan, type ShortenedConversation, type ShortenOptions } from "./shorten.ts";

export interface CompactionOptions extends ShortenOptions {
  /** The user's own instructions for the summary. */
  instructions?: string;
  /** The most tokens the request should have with what is reattached. Default: `targetTokens`. */
  fillTokens?: number;
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
  /** `counts`: the summary itself failed, which counts toward the three failures after which no more are tried. */
  | { ok: false; why: string; counts: boolean };

export async function* compact(
  pass: Pass,
  options: CompactionOptions,
  signal: AbortSignal,
): AsyncGenerator<ContextEvent, Compaction> {
  const { world } = pass;
  const plan = worthwhilePlan(pass, options.tailTokens);
  if (typeof plan === "string") return failedCompaction(plan);
  const before = yield* beforeCompaction(world, options.trigger, options.instructions ?? null, signal);
  if (before.blocked !== undefined) {
    const text = `A PreCompact hook blocked the compaction: ${before.blocked}`;
    yield newNotice(world, "warning", "compaction_blocked", text);
    return failedCompaction(`a PreCompact hook blocked it: ${before.blocked}`);
  }
  yield { type: "compacting", trigger: options.trigger };
  const extra = [options.instructions ?? "", ...before.extra];
  const shortened = yield* shorten(pass, plan, options, extra, signal);
  if (!shortened.ok) return shortened;
  const { conversation, summarized, lacking } = shortened;
  if (lacking !== undefined) {
    const text = `The conversation was shortened without a summary, because none could be made: ${lacking}`;
    yield newNotice(world, "warning", "compacted_without_summary", text);
  }
  return yield* finishCompaction(pass, conversation, { ...options, summarized }, signal);
}

/** Returns what a compaction achieved, as the Context port reports it. */
export function shrinkResultOf(compaction: Compaction): ShrinkResult {
  if (!compaction.ok) return { kind: "no_progress", why: compaction.why };
  const { messages, boundary, beforeTokens, afterTokens } = compaction;
  return { kind: "shrunk", messages, records: [boundary], beforeTokens, afterTokens, committed: 0 };
}

function failedCompaction(why: string): Compaction {
  return { ok: false, why, counts: false };
}

/** Runs the hooks after a compaction, reattaches what the model should see again, and makes the record. */
async function* finishCompaction(
  pass: Pass,
  conversation: ShortenedConversation,
  options: CompactionOptions & { summarized: boolean },
  signal: AbortSignal,
): AsyncGenerator<ContextEvent, Compaction> {
  const { world, input } = pass;
  const context = yield* afterCompaction(pass, options.trigger, conversation.summary, signal);
  const { after: bare, before } = compareTokens(pass, conversation.messages);
  // At least half of the tokens won must stay free.
  const freedTokens = (before - bare) / 2 / world.memory.scale / 1.1;
  const { fitting, roomLeft } = yield* fittingContext(world, context, freedTokens);
  const room = ((options.fillTokens ?? options.targetTokens) - bare) / world.memory.scale / 1.1;
  const attached = [
    ...(await selectReattachments(pass, conversation.messages, Math.min(room, freedTokens) - (freedTokens - roomLeft))),
    ...fitting,
  ];
  const messages = [...conversation.messages, ...attached];
  const after = wholeTokens(messages, input.fixedTokens, world.memory.scale);
  if (signal.aborted) return failedCompaction("interrupted");
  const boundary = createBoundary(
    world,
    {
      trigger: options.trigger,
      preTokens: pass.tokens,
      postTokens: after,
      lastSummarizedUuid: conversation.plan.older.at(-1)?.uuid ?? null,
    },
    messages,
  );
  return { ok: true, messages, boundary, beforeTokens: before, afterTokens: after, summarized: options.summarized };
}
