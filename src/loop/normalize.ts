/**
 * Turns the conversation into API messages, and guarantees the invariants I1–I7 for every request, whatever the history. Calls and results
 * are paired where they are made; this is the safety net, and it reports what it had to mend. `segment.ts` splits the conversation into
 * segments; this file joins them.
 */
import { isAnswer } from "../protocol/answers.ts";
import type { ContentBlock, ImageBlock, Message } from "../protocol/message.ts";
import type { ApiMessage } from "../protocol/model.ts";
import { findCacheBreakpoints } from "./cache-breakpoints.ts";
import { ClosedMessages } from "./closed-messages.ts";
import { lastLeftOutIndex, leftOutKinds } from "../protocol/left-out-kinds.ts";
import { isThinkingRejection } from "../protocol/thinking.ts";
import {
  openSegment,
  addMessage,
  renderSegment,
  type Rendered,
  type RenderRules,
  type Segment,
  type Mended,
  noneMended,
} from "./segment.ts";
import * as texts from "./texts.ts";

export interface NormalizeOptions {
  model: string;
  /** Whether thinking is enabled for the request; if not, no thinking is sent. */
  thinking: boolean;
  maxImages: number;
  /** Whether the model gets unsigned thinking back. No longer once the API has rejected thinking. */
  unsignedThinking?: boolean | undefined;
  /** The last response was paused: it is sent back unchanged, as the last message. */
  paused?: boolean;
  /** Whether a signed summary is sent as its block rather than as its text. */
  compaction?: boolean;
  /** A finished answer may be last, because the messages are to be summarised, not answered. */
  openEnd?: boolean;
}

export interface Normalized {
  messages: ApiMessage[];
  /** Ascending indexes; see `cache-breakpoints.ts`. */
  cacheBreakpoints: number[];
  mended: Mended;
}

export type Normalizer = (messages: readonly Message[], options: NormalizeOptions) => Normalized;

/** The past that later messages cannot change. Owned here, and grown in place. */
interface ClosedPast {
  source: readonly Message[];
  /** How many messages of `source` belong to closed segments. */
  count: number;
  output: ApiMessage[];
  /** The ids of the calls in `output`. */
  ids: Set<string>;
  images: number;
  mended: Mended;
  rules: RenderRules;
  /** Whether unsigned thinking was requested. */
  unsigned: boolean;
  /** Index of the last notice that leaves out blocks; -1 for none. */
  leftOutAt: number;
  closedMessages: ClosedMessages;
  /** The past begins with a signed summary, which belongs to no segment. */
  isSigned: boolean;
  /** The last open segment, as it was sent. It is usually closed unchanged, and then stays the same objects. */
  open: { count: number; sources: Message[]; rendered: Rendered } | null;
}

/**
 * Creates a normalizer, which keeps the API messages of the unchanged past as the same objects, so that neither its own cost nor the
 * adapter's serialisation grows with the history. One per conversation, shared by its runs.
 */
export function createNormalizer(): Normalizer {
  let closed: ClosedPast | null = null;
  return (messages, options) => {
    const past = closed !== null && isStillValid(closed, messages, options) ? closed : emptyPast(messages, options);
    closed = past;
    let segment: Segment = openSegment();
    for (let at = past.count; at < messages.length; at++) {
      const message = messages[at]!;
      if (isAnswer(message) && startsNewSegment(segment, message.messageId)) {
        const rendered = appendSegment(past.output, renderCached(past, segment));
        for (const id of rendered.ids) past.ids.add(id);
        past.images += rendered.images;
        past.mended = addMended(past.mended, rendered.mended);
        past.closedMessages.add(segment.sources);
        past.count = at;
        segment = openSegment();
      }
      addMessage(segment, message, at, past.rules);
    }
    past.source = messages;
    const output = past.output.slice();
    const open = options.paused === true ? renderSegment(segment, past.ids, true) : renderCached(past, segment);
    const tail = appendSegment(output, open);
    const mayEndOpen = options.paused === true || options.openEnd === true;
    let mended = endWithUser(output, addMended(past.mended, tail.mended), mayEndOpen);
    mended = limitImages(output, past.images + tail.images - options.maxImages, mended);
    return { messages: output, cacheBreakpoints: findCacheBreakpoints(output, messages), mended };
  };
}

function emptyPast(messages: readonly Message[], options: NormalizeOptions): ClosedPast {
  const { model, thinking, compaction = false } = options;
  const unsigned = options.unsignedThinking === true && !messages.some(isThinkingRejection);
  const strippedBefore = lastStripIndex(messages, 0);
  const rules = { model, thinking, unsigned, compaction, strippedBefore, leftOut: leftOutKinds(messages, model) };
  const output = signedSummary(messages[0], compaction);
  return {
    source: [],
    count: output.length,
    output,
    ids: new Set(),
    images: 0,
    mended: noneMended,
    rules,
    unsigned: options.unsignedThinking === true,
    leftOutAt: lastLeftOutIndex(messages, 0),
    closedMessages: new ClosedMessages(),
    isSigned: output.length > 0,
    open: null,
  };
}

/** Returns the summary's block as the first message, in the assistant role it came in. */
function signedSummary(first: Message | undefined, isSent: boolean): ApiMessage[] {
  if (!isSent || first?.type !== "user" || first.compactionBlock === undefined) return [];
  return [{ role: "assistant", content: [{ type: "opaque", wire: first.compactionBlock }] }];
}

function lastStripIndex(messages: readonly Message[], from: number): number {
  for (let at = messages.length - 1; at >= from; at--) if (messages[at]!.type === "thinking_stripped") return at;
  return -1;
}

/** An empty segment does not count: if it were closed, it would take the place of the open segment in `past.open`. */
function startsNewSegment(segment: Segment, messageId: string): boolean {
  return segment.sources.length > 0 && segment.messageId !== messageId;
}

/** Whether the closed past is still valid: same messages, same rules, and no new mark that strips part of it. */
function isStillValid(past: ClosedPast, messages: readonly Message[], options: NormalizeOptions): boolean {
  const { count, rules, source } = past;
  if (count === 0) return false;
  if (rules.model !== options.model || rules.thinking !== options.thinking) return false;
  if (rules.compaction !== (options.compaction === true)) return false;
  if (past.unsigned !== (options.unsignedThinking === true)) return false;
  if (source !== messages && !startsWithMessages(messages, source, count)) return tryRealign(past, messages);
  if (!past.closedMessages.isFollowedByResponse(messages, count)) return false;
  return (
    isLast(rules.strippedBefore, lastStripIndex(messages, count)) &&
    isLast(past.leftOutAt, lastLeftOutIndex(messages, count))
  );

  function isLast(known: number, found: number): boolean {
    return found === (known >= count ? known : -1);
  }
}

function startsWithMessages(messages: readonly Message[], source: readonly Message[], count: number): boolean {
  if (messages.length < count) return false;
  for (let at = count - 1; at >= 0; at--) if (source[at] !== messages[at]) return false;
  return true;
}

/** Accepts the past if only messages that are not sent have moved, as in the transcript for a run that continued from its own copy. */
function tryRealign(past: ClosedPast, messages: readonly Message[]): boolean {
  if (past.rules.strippedBefore >= 0 || past.leftOutAt >= 0 || past.isSigned) return false;
  const count = past.closedMessages.coveredLength(messages);
  if (count <= 0 || lastStripIndex(messages, 0) >= 0 || lastLeftOutIndex(messages, 0) >= 0) return false;
  past.count = count;
  past.open = null;
  return true;
}

function renderCached(past: ClosedPast, segment: Segment): Rendered {
  const { open, count } = past;
  const { sources } = segment;
  const isKnown =
    open?.count === count &&
    open.sources.length === sources.length &&
    open.sources.every((message, at) => message === sources[at]);
  if (isKnown) return open.rendered;
  const rendered = renderSegment(segment, past.ids, false);
  past.open = { count, sources, rendered };
  return rendered;
}

/** Appends a segment's messages, joining neighbours with the same role. */
function appendSegment(
  output: ApiMessage[],
  { messages, ids, mended }: Rendered,
): { ids: string[]; images: number; mended: Mended } {
  let images = 0;
  for (const message of messages) {
    images += countImages(message.content);
    appendMessage(output, message);
  }
  return { ids, images, mended };
}

const continueMessage: ApiMessage = { role: "user", content: [{ type: "text", text: texts.continueAfterOverflow }] };

function appendMessage(output: ApiMessage[], message: ApiMessage): void {
  if (message.content.length === 0) return;
  const last = output.at(-1);
  if (last === undefined && message.role === "assistant") output.push(continueMessage);
  if (last?.role === message.role)
    output[output.length - 1] = { role: last.role, content: [...last.content, ...message.content] };
  else output.push(message);
}

/** Adds a user message if the last message is an answer, unless the request may end with one. */
function endWithUser(output: ApiMessage[], mended: Mended, mayEndOpen: boolean): Mended {
  const last = output.at(-1);
  if (last?.role === "user" || (mayEndOpen && last !== undefined)) return mended;
  output.push(continueMessage);
  return { ...mended, endings: mended.endings + 1 };
}

function addMended(one: Mended, other: Mended): Mended {
  return {
    missingResults: one.missingResults + other.missingResults,
    strayResults: one.strayResults + other.strayResults,
    calls: one.calls + other.calls,
    endings: one.endings + other.endings,
    images: one.images + other.images,
  };
}

/** Above the API's limit, the oldest images are replaced by a line of text. */
function limitImages(output: ApiMessage[], excess: number, mended: Mended): Mended {
  if (excess <= 0) return mended;
  let over = excess;
  for (let at = 0; at < output.length && over > 0; at++) {
    const message = output[at]!;
    if (countImages(message.content) === 0) continue;
    const content = dropImages(message.content, () => over-- > 0);
    output[at] = { role: message.role, content };
  }
  return { ...mended, images: mended.images + excess };
}

function countImages(content: readonly ContentBlock[]): number {
  let count = 0;
  for (const block of content) {
    if (block.type === "image") count++;
    else if (block.type === "tool_result" && typeof block.content !== "string")
      count += block.content.filter((inner) => inner.type === "image").length;
  }
  return count;
}

function dropImages(content: readonly ContentBlock[], shouldDrop: () => boolean): ContentBlock[] {
  const replaceImage = (image: ImageBlock): ImageBlock | { type: "text"; text: string } =>
    shouldDrop()
      ? { type: "text", text: "[An image was here; it was left out because the request held too many.]" }
      : image;
  return content.map((block) => {
    if (block.type === "image") return replaceImage(block);
    if (block.type !== "tool_result" || typeof block.content === "string") return block;
    return { ...block, content: block.content.map((inner) => (inner.type === "image" ? replaceImage(inner) : inner)) };
  });
}
