/**
 * Layer 1: takes a named span of history out, verbatim and without a word in its place. The taking out itself is a callback of
 * whoever holds the session (`snipReplay`), reached through the fold: here it is decided whether and when.
 */
import type { Steps } from "../lib/steps.ts";
import type { ContextEvent, Message, SnipBoundaryMessage } from "../protocol/index.ts";
import { minted, noticeOf, type Change, type Pass, type SnipRequest } from "./layer.ts";
import { lastCounted, requestTokens, safety, spanTokens } from "./measure.ts";
import { strippedMark } from "./rewrite.ts";
import { realPerEstimated } from "./scale.ts";
import { judgeSpan, mustStripAfter, type Span, type SpanRefusal } from "./snip-span.ts";

export type Snipped =
  | { ok: true; messages: readonly Message[]; records: Message[]; boundary: SnipBoundaryMessage }
  | { ok: false; code: SpanRefusal | "not_executed"; message: string };

/** All that was asked for since the last border. */
export function* snip(first: Pass): Steps<ContextEvent, Change | undefined> {
  const { world, input } = first;
  const records: Message[] = [];
  let pass = first;
  for (const request of world.history?.waitingSnips() ?? []) {
    const snipped = takeOut(pass, request, true);
    if (!snipped.ok) {
      world.history?.refuseSnip(request);
      yield noticeOf(world, "warning", "snip_refused", `A span of history was not taken out: ${snipped.message}`);
      continue;
    }
    pass = { ...pass, messages: snipped.messages };
    records.push(...snipped.records);
  }
  if (records.length === 0) return undefined;
  const tokens = requestTokens(pass.messages, input.fixedTokens, world.memory.scale);
  return { messages: pass.messages, records, tokens, tracking: input.tracking };
}

/**
 * The conversation without the span, and what is to be recorded of it, in order. `isRunning`: its end is being answered.
 * A mark where thinking behind the span can no longer be sent comes before the boundary, so that between the two lies a
 * conversation that can be sent.
 */
export function takeOut(pass: Pass, request: SnipRequest, isRunning: boolean): Snipped {
  const { world, messages, input } = pass;
  const { history } = world;
  const verdict = judgeSpan(messages, request, isRunning);
  if (!verdict.ok) return verdict;
  const mark = mustStripAfter(messages, verdict.span, input.model) ? [strippedMark(world)] : [];
  const boundary = boundaryOf(pass, request, verdict.span, mark);
  const records = [...mark, boundary];
  const next = records.reduce((folded, record) => history?.fold(folded, record) ?? folded, messages);
  if (next.at(-1) !== boundary)
    return { ok: false, code: "not_executed", message: "The callback snipReplay did not execute it." };
  history?.forgetShown();
  return { ok: true, messages: next, records, boundary };
}

/** Names the span as it is taken out: with what belongs to its last message. */
function boundaryOf(
  pass: Pass,
  { fromUuid, toUuid, reason, by = "host" }: SnipRequest,
  span: Span,
  mark: readonly Message[],
): SnipBoundaryMessage {
  const { world, messages } = pass;
  return {
    type: "snip_boundary",
    ...minted(world),
    fromUuid,
    toUuid: messages[span.end - 1]?.uuid ?? toUuid,
    by,
    ...(reason === undefined ? {} : { reason }),
    ...tokensOf(pass, span, mark),
  };
}

/** In the last response's count is what stands before it; where the span holds that response, no count holds the span. */
function tokensOf(
  { messages, input, world }: Pass,
  { start, end }: Span,
  mark: readonly Message[],
): Pick<SnipBoundaryMessage, "savedTokens" | "counted"> {
  const anchor = lastCounted(messages);
  const left = [...messages.slice(0, start), ...messages.slice(end), ...mark];
  const estimated = spanTokens(messages) - spanTokens(left);
  const real = realPerEstimated(messages, input.fixedTokens, world.memory.scale, anchor);
  // What joins up around the span can come to more than the span did.
  const savedTokens = Math.max(0, Math.floor((estimated * real) / safety));
  if (anchor === undefined || end > anchor.start) return { savedTokens, counted: null };
  return { savedTokens, counted: { responseEnd: anchor.end.uuid, tokens: savedTokens } };
}
