/**
 * Layer 1: takes a named span out of the history, verbatim and without a replacement. The session's owner removes the span through a
 * callback (`snipReplay`), which is reached through the fold; this file decides whether and when.
 */
import type { Steps } from "../lib/steps.ts";
import type { ContextEvent, Message, SnipBoundaryMessage } from "../protocol/index.ts";
import type { Change, Pass, SnipRequest } from "./layer.ts";
import { newNotice, newRecordFields, strippedThinkingMark } from "../protocol/new-record.ts";
import { lastCountedResponse, requestTokens, safetyFactor, spanTokens } from "./measure.ts";
import { realTokenRatio } from "./scale.ts";
import { judgeSpan, mustStripAfter, type Span, type SpanRefusal } from "./snip-span.ts";

export type Snipped =
  | { ok: true; messages: readonly Message[]; records: Message[]; boundary: SnipBoundaryMessage }
  | { ok: false; code: SpanRefusal | "not_executed"; message: string };

/** Takes out every span requested since the last request. */
export function* snip(first: Pass): Steps<ContextEvent, Change | undefined> {
  const { world, input } = first;
  const records: Message[] = [];
  let pass = first;
  for (const request of world.history?.waitingSnips() ?? []) {
    const snipped = takeOutSpan(pass, request, true);
    if (!snipped.ok) {
      world.history?.refuseSnip(request);
      yield newNotice(world, "warning", "snip_refused", `A span of history was not taken out: ${snipped.message}`);
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
 * Returns the conversation without the span, and the records to append, in order. `isRunning`: the end of the conversation is being
 * answered. If thinking after the span can no longer be sent, a mark comes before the boundary, so that the conversation between the two
 * records can still be sent.
 */
export function takeOutSpan(pass: Pass, request: SnipRequest, isRunning: boolean): Snipped {
  const { world, messages, input } = pass;
  const { history } = world;
  const verdict = judgeSpan(messages, request, isRunning);
  if (!verdict.ok) return verdict;
  const mark = mustStripAfter(messages, verdict.span, input.model) ? [strippedThinkingMark(world)] : [];
  const boundary = createSnipBoundary(pass, request, verdict.span, mark);
  const records = [...mark, boundary];
  const next = records.reduce((folded, record) => history?.fold(folded, record) ?? folded, messages);
  if (next.at(-1) !== boundary)
    return { ok: false, code: "not_executed", message: "The callback snipReplay did not execute it." };
  history?.forgetShown();
  return { ok: true, messages: next, records, boundary };
}

/** Makes the boundary with the span as it is taken out, including what belongs to its last message. */
function createSnipBoundary(
  pass: Pass,
  { fromUuid, toUuid, reason, by = "host" }: SnipRequest,
  span: Span,
  mark: readonly Message[],
): SnipBoundaryMessage {
  const { world, messages } = pass;
  return {
    type: "snip_boundary",
    ...newRecordFields(world),
    fromUuid,
    toUuid: messages[span.end - 1]?.uuid ?? toUuid,
    by,
    ...(reason === undefined ? {} : { reason }),
    ...savedTokensOf(pass, span, mark),
  };
}

/** The last response's count covers everything before that response. If the span contains that response, no count includes the span. */
function savedTokensOf(
  { messages, input, world }: Pass,
  { start, end }: Span,
  mark: readonly Message[],
): Pick<SnipBoundaryMessage, "savedTokens" | "counted"> {
  const anchor = lastCountedResponse(messages);
  const left = [...messages.slice(0, start), ...messages.slice(end), ...mark];
  const estimated = spanTokens(messages) - spanTokens(left);
  const real = realTokenRatio(messages, input.fixedTokens, world.memory.scale, anchor);
  // Messages that become neighbours around the span can add up to more than the span did.
  const savedTokens = Math.max(0, Math.floor((estimated * real) / safetyFactor));
  if (anchor === undefined || end > anchor.start) return { savedTokens, counted: null };
  return { savedTokens, counted: { responseEnd: anchor.end.uuid, tokens: savedTokens } };
}
