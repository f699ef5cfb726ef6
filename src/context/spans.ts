/**
 * Finds finished work in a conversation: whole turns of the model that a summary can replace. Work is finished once the user has moved on
 * to something else, or an item of the todo list was completed. No span contains the user's own words, the pinned head, or what an earlier
 * rewrite left.
 */
import type { Message, UserMessage } from "../protocol/index.ts";
import { isAnswer } from "../protocol/answers.ts";
import { blockTokens, messageTokens } from "./measure.ts";
import { beginsPart, isPrompt } from "./trajectories.ts";
import { isRecord } from "../lib/is-record.ts";

/** Tokens, as estimated without correction. */
export interface SpanLimits {
  /** A span has at least this many, not counting an answer that stays. */
  minTokens: number;
  /** A span ends before it would exceed this, not counting an answer that stays. Only a single turn of the model can be larger. */
  maxTokens: number;
}

export interface WorkSpan {
  /** Indexes for `messages.slice(start, end)`. */
  start: number;
  end: number;
  /** The uuids of its first and last message that are sent. */
  from: string;
  to: string;
  tokens: number;
  /** Index of the user's prompt that the work was done for. */
  prompt: number | undefined;
}

/** Turns of the model that belong together. */
interface Piece {
  start: number;
  tokens: number;
  calls: boolean;
}

/** One response of the model with everything that answers it. */
interface ResponseUnit extends Piece {
  messageId: string;
  /** Tokens of the conversation before it. */
  before: number;
  /** A todo item was completed in it. */
  milestone: boolean;
  /** Tokens of the text for the user. */
  textTokens: number;
}

interface Cut {
  span: WorkSpan;
  /** Tokens of the conversation up to the span's end. */
  before: number;
}

interface Progress {
  count: number;
  last: string | undefined;
  tokens: number;
  prompt: number | undefined;
  openCalls: Set<string>;
  unit: ResponseUnit | undefined;
  piece: Piece | undefined;
  /** Cut off, but the work may still be going on. */
  pending: Cut[];
  finished: Cut[];
}

/**
 * Finds the spans of a growing conversation and looks at each message once. What it finds does not depend on how often it is called. Starts
 * over if the past has changed.
 */
export class SpanFinder {
  readonly #limits: SpanLimits;
  #progress = initialProgress();

  constructor(limits: SpanLimits) {
    this.#limits = limits;
  }

  /** Returns the finished spans that are followed by at least `kept` tokens, oldest first. `hasRestarted`: the past has changed. */
  findSpans(messages: readonly Message[], kept: number): { spans: WorkSpan[]; hasRestarted: boolean } {
    const hasRestarted = this.#progress.count > 0 && messages[this.#progress.count - 1]?.uuid !== this.#progress.last;
    if (hasRestarted) this.#progress = initialProgress();
    const at = this.#progress;
    for (; at.count < messages.length; at.count++) this.#addMessage(messages, at.count);
    at.last = messages.at(-1)?.uuid;
    const spans = at.finished.filter(({ before }) => at.tokens - before >= kept).map(({ span }) => span);
    return { spans, hasRestarted };
  }

  #addMessage(messages: readonly Message[], index: number): void {
    const message = messages[index]!;
    const at = this.#progress;
    if (isAnswer(message)) this.#beginResponse(messages, index, message.messageId);
    else if (mustBeKept(message)) this.#passKeptMessage(messages, index);
    const { total } = messageTokens(message);
    at.tokens += total;
    if (at.unit !== undefined) this.#countMessage(at.unit, message, total);
  }

  #countMessage(unit: ResponseUnit, message: Message, tokens: number): void {
    unit.tokens += tokens;
    if (message.type === "assistant") {
      for (const block of message.content) {
        if (block.type === "text") unit.textTokens += blockTokens(block);
        if (block.type !== "tool_use") continue;
        unit.calls = true;
        this.#progress.openCalls.add(block.id);
      }
    } else if (message.type === "user") {
      for (const block of message.content)
        if (block.type === "tool_result") this.#progress.openCalls.delete(block.tool_use_id);
      if (completesTodo(message)) unit.milestone = true;
    }
  }

  /** A response begins: the previous one is over, unless it still has open calls. */
  #beginResponse(messages: readonly Message[], index: number, messageId: string): void {
    const at = this.#progress;
    if (at.unit?.messageId === messageId || at.openCalls.size > 0) return;
    this.#endUnit(messages);
    const { tokens: before } = at;
    at.unit = { start: index, tokens: 0, calls: false, messageId, before, milestone: false, textTokens: 0 };
  }

  /** A message that must be kept ends the span before it; a prompt also means that the work before it is over. */
  #passKeptMessage(messages: readonly Message[], index: number): void {
    const at = this.#progress;
    const { unit } = at;
    const isNew = isPrompt(messages[index]);
    // If the user moved on before some calls were answered, the response with those calls is left as it is.
    const isBroken = unit !== undefined && at.openCalls.size > 0;
    if (isBroken) at.unit = undefined;
    const answer = isNew && !isBroken && unit?.calls === false ? unit.textTokens : 0;
    this.#endUnit(messages, answer);
    if (isBroken) this.#cutSpan(messages, { end: unit.start, before: unit.before, answer });
    else this.#cutSpan(messages, { end: index, before: at.tokens, answer });
    at.piece = undefined;
    at.openCalls.clear();
    if (!isNew) return;
    this.#finishPending();
    at.prompt = index;
  }

  /** Ends the current unit. `answer`: tokens of the final answer, which stay when the unit is cut. */
  #endUnit(messages: readonly Message[], answer = 0): void {
    const at = this.#progress;
    const { unit } = at;
    if (unit === undefined) return;
    at.unit = undefined;
    const { start: end, before } = unit;
    const isFull = answer === 0 && (at.piece?.tokens ?? 0) + unit.tokens > this.#limits.maxTokens;
    if ((unit.milestone || isFull) && this.#cutSpan(messages, { end, before, answer: 0 })) at.piece = undefined;
    if (unit.milestone) this.#finishPending();
    const piece = at.piece ?? { start: unit.start, tokens: 0, calls: false };
    at.piece = { start: piece.start, tokens: piece.tokens + unit.tokens, calls: piece.calls || unit.calls };
  }

  /** Cuts a span. Returns false if it is too small, or has only words and no work. `answer`: tokens of the answer that stay. */
  #cutSpan(
    messages: readonly Message[],
    { end, before, answer }: { end: number; before: number; answer: number },
  ): boolean {
    const { piece, prompt, pending } = this.#progress;
    if (piece?.calls !== true || piece.tokens - answer < this.#limits.minTokens) return false;
    const { start, tokens } = piece;
    let last = end - 1;
    while (last > start && !beginsPart(messages[last]!)) last--;
    const span = { start, end, from: messages[start]!.uuid, to: messages[last]!.uuid, tokens, prompt };
    pending.push({ span, before });
    return true;
  }

  #finishPending(): void {
    this.#progress.finished.push(...this.#progress.pending.splice(0));
  }
}

function initialProgress(): Progress {
  return {
    count: 0,
    last: undefined,
    tokens: 0,
    prompt: undefined,
    openCalls: new Set(),
    unit: undefined,
    piece: undefined,
    pending: [],
    finished: [],
  };
}

/** Whether a message must be kept: the user's own words, the pinned head, and what replaces parts left out earlier. */
export function mustBeKept(message: Message): boolean {
  if (message.type === "attachment") return message.attachment.kind === "queued_command";
  if (message.type !== "user") return false;
  const isOurs = message.origin === "context" || message.origin === "compaction" || message.isCompactSummary === true;
  return isOurs || isPrompt(message);
}

/** Detects a completed item from the todo tool's output for clients, which has the list before and after. */
function completesTodo({ toolUseResult }: UserMessage): boolean {
  if (!isRecord(toolUseResult)) return false;
  const before = completedItems(toolUseResult["oldTodos"]);
  const after = completedItems(toolUseResult["newTodos"]);
  return before !== undefined && after !== undefined && [...after].some((content) => !before.has(content));
}

function completedItems(todos: unknown): Set<unknown> | undefined {
  if (!Array.isArray(todos)) return undefined;
  const done = (todos as unknown[]).filter((todo) => isRecord(todo) && todo["status"] === "completed");
  return new Set(done.map((todo) => (isRecord(todo) ? todo["content"] : undefined)));
}
