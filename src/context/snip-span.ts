/** Decides which spans of history may be taken out: whole trajectories after the pinned head, and never what is being answered. Pure. */
import type { Message, ModelInfo } from "../protocol/index.ts";
import { isLeftOutNotice } from "../protocol/left-out-kinds.ts";
import { messagesAfterStripping } from "../protocol/thinking.ts";
import type { SnipRequest } from "./layer.ts";
import { carriedFirstPrompt } from "./plan.ts";
import { hasBoundThinking } from "./rewrite.ts";
import { cutPoints, headLength, isPrompt } from "./trajectories.ts";

export interface Span {
  start: number;
  /** The index after the last message. */
  end: number;
}

export type SpanRefusal = "unknown_message" | "reversed" | "holds_head" | "not_whole" | "holds_end";

export type SpanVerdict = { ok: true; span: Span } | { ok: false; code: SpanRefusal; message: string };

/** Checks a requested span. `isRunning`: the end of the conversation is being answered, so it must stay. */
export function judgeSpan(
  messages: readonly Message[],
  { fromUuid, toUuid }: Pick<SnipRequest, "fromUuid" | "toUuid">,
  isRunning: boolean,
): SpanVerdict {
  const [start, last] = [indexOf(messages, fromUuid), indexOf(messages, toUuid)];
  for (const [index, uuid] of [
    [start, fromUuid],
    [last, toUuid],
  ] as const)
    if (index < 0) return refuseSpan("unknown_message", `The conversation has no message ${quoteUuid(uuid)}.`);
  if (last < start) return refuseSpan("reversed", `${quoteUuid(toUuid)} comes before ${quoteUuid(fromUuid)}.`);
  if (start < pinnedLength(messages))
    return refuseSpan("holds_head", "The span holds the pinned head: memory files, or what the user first asked for.");
  const points = cutPoints(messages);
  const end = spanEnd(messages, last);
  const isWhole = points.includes(start) && isSpanBorder(messages, end, points);
  if (!isWhole || joinsResponses(messages, start, end))
    return refuseSpan("not_whole", notWholeText(messages, points, start, end));
  const lastPoint = points.at(-1) ?? 0;
  if (isRunning && end > lastPoint)
    return refuseSpan("holds_end", "The span holds the end of the conversation, which is being answered.");
  return { ok: true, span: { start, end } };
}

/** Whether thinking after the span must be stripped: it is bound to what preceded it. */
export function mustStripAfter(messages: readonly Message[], { end }: Span, model: ModelInfo): boolean {
  return hasBoundThinking(messagesAfterStripping(messages.slice(end)), model);
}

function refuseSpan(code: SpanRefusal, message: string): SpanVerdict {
  return { ok: false, code, message };
}

function quoteUuid(uuid: string): string {
  return `"${uuid.slice(0, 80)}"`;
}

function indexOf(messages: readonly Message[], uuid: string): number {
  return messages.findIndex((message) => message.uuid === uuid);
}

/** Returns the length of the pinned part: the context, and the user's first prompt or the reference to it that a compaction left. */
function pinnedLength(messages: readonly Message[]): number {
  const head = headLength(messages);
  const first = messages.findIndex(
    (message, index) => index >= head && (isPrompt(message) || carriedFirstPrompt(message) !== undefined),
  );
  return first < 0 ? head : first + 1;
}

/** A response's end and notes belong to the message they follow. Marks do not: they apply to everything before them. */
function spanEnd(messages: readonly Message[], last: number): number {
  let end = last + 1;
  while (["response_end", "notice", "transition"].includes(messages[end]?.type ?? "")) end++;
  return end;
}

/** Whether a span may end here. If only marks follow, this is the conversation's end; marks before a cut point belong to neither side. */
function isSpanBorder(messages: readonly Message[], end: number, points: readonly number[]): boolean {
  let next = end;
  while (next < messages.length && isMark(messages[next])) next++;
  return next >= messages.length || points.includes(next);
}

/** Whether the message is a record about the messages before it: it stays when a span around it is taken out. */
export function isMark(message: Message | undefined): boolean {
  if (message === undefined) return false;
  const { type } = message;
  if (type === "thinking_stripped" || type === "results_cleared") return true;
  return type === "snip_boundary" || type === "collapse_commit" || isLeftOutNotice(message);
}

/** Whether an answer would directly follow another answer, without what it answers. */
function joinsResponses(messages: readonly Message[], start: number, end: number): boolean {
  const isConversational = ({ type }: Message) => type === "user" || type === "attachment" || type === "assistant";
  const before = messages.slice(0, start).findLast(isConversational);
  const after = messages.slice(end).find(isConversational);
  return before?.type === "assistant" && after?.type === "assistant";
}

function notWholeText(messages: readonly Message[], points: readonly number[], start: number, end: number): string {
  const from = points.findLast((point) => point <= start);
  const to = points.find((point) => point >= end) ?? messages.length;
  const wider =
    from === undefined || joinsResponses(messages, from, to)
      ? "Begin with a prompt, and end before the next."
      : `The nearest that is goes from ${quoteUuid(messages[from]?.uuid ?? "")} to ${quoteUuid(messages[to - 1]?.uuid ?? "")}.`;
  return `The span is not whole: a call would lose its result, or an answer what it answers. ${wider}`;
}
