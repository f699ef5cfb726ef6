/** Folds stream events into complete blocks, usage and the outcome of the message. Knows nothing of bytes or time. */
import type { ModelEvent, ModelOutcome } from "../../protocol/model.ts";
import type { RawStreamEvent } from "../../protocol/stream-event.ts";
import { noUsage, type Usage } from "../../protocol/usage.ts";
import { applyDelta, finishBlock, openBlock, type FinishedBlock, type OpenBlock } from "./block.ts";
import { isMisplaced, textInCallBlock } from "./odd-blocks.ts";
import { mayCutAnswer, normalizedStopReason } from "./stop-reason.ts";
import { withUsageDefaults, reportsOutput, reportsSpeed, updateUsage, type UsageDefaults } from "./usage.ts";
import { isRecord } from "../../lib/is-record.ts";
import { stringOrEmpty } from "../../lib/string-or-empty.ts";

export type BlockEvent = Extract<ModelEvent, { type: "block" }>;

interface WaitingBlock {
  open: OpenBlock;
  finished: FinishedBlock;
}

/**
 * One response being assembled.
 *
 * A tool call whose JSON is empty or does not parse may have been cut by the output limit, and only later events tell. The call
 * waits, and the blocks after it wait behind it, so that blocks come out in order. A block that ends before an earlier one also
 * waits: blocks must be sent back in their original order.
 */
export class Assembler {
  messageId: string;
  /** `message_start` was seen. */
  hasStarted = false;
  /** `message_stop` was seen. */
  hasStopped = false;
  stopReason: string | null = null;
  stopDetails: Record<string, unknown> | undefined;
  /** Blocks that are complete and certain, for the caller to take. */
  readonly ready: BlockEvent[] = [];
  /** `stopReason` in the server's own spelling. */
  #wireStopReason: string | undefined;
  readonly #open = new Map<number, OpenBlock>();
  /** How many blocks have begun. */
  #begunCount = 0;
  #current: OpenBlock | undefined;
  /** In the order in which they began. */
  #waiting: WaitingBlock[] = [];
  #partialToolUse = false;
  /** The end of the message stated the output tokens; the figure at its beginning covers only the first token or so. */
  #hasOutputTokens = false;
  #hasSpeed = false;
  #usage: Usage = noUsage;
  readonly #usageDefaults: UsageDefaults;

  /** @param messageId used if the server names none. */
  constructor(messageId: string, usageDefaults: UsageDefaults) {
    this.messageId = messageId;
    this.#usageDefaults = usageDefaults;
  }

  get usage(): Usage {
    return withUsageDefaults(this.#usageDefaults, this.#usage, this.#hasSpeed);
  }

  accept(event: RawStreamEvent): void {
    switch (event.type) {
      case "content_block_delta":
        return this.#delta(event);
      case "content_block_start":
        return this.#start(event);
      case "content_block_stop":
        return this.#stop(indexOf(event));
      case "message_start":
        return this.#messageStart(event);
      case "message_delta":
        return this.#messageDelta(event);
      case "message_stop":
        this.hasStopped = true;
    }
  }

  /**
   * All parts of a response were seen. `message_stop` carries no data, so a body that ends properly after a stop reason and with no
   * block open is whole: some compatible servers never send `message_stop`, and asking again would cost twice.
   */
  get isComplete(): boolean {
    if (this.stopReason !== null && this.#open.size === 0) return true;
    return this.hasStopped && (this.hasStarted || this.#begunCount > 0);
  }

  /** `finish` will release no block. */
  get isSettled(): boolean {
    return this.#open.size === 0 && this.#waiting.length === 0;
  }

  /** Text of a block still open. */
  get partialText(): string | undefined {
    for (const block of this.#open.values()) if (block.wire["type"] === "text" && block.text !== "") return block.text;
    return undefined;
  }

  /** Decides about the waiting blocks. Call once, when the response is whole; then take `ready` a last time. */
  finish(): Extract<ModelOutcome, { ok: true }> {
    for (const index of this.#open.keys()) this.#stop(index);
    const cut = this.stopReason !== null && mayCutAnswer(this.stopReason);
    for (const { open, finished } of this.#waiting) {
      if (finished.doubt !== undefined && cut)
        this.#partialToolUse ||= this.stopReason !== "refusal" && finished.block.type === "tool_use";
      else this.#release(open.index, finished);
    }
    this.#waiting = [];
    const { stopReason, stopDetails, usage } = this;
    const outcome: Extract<ModelOutcome, { ok: true }> =
      stopDetails === undefined ? { ok: true, stopReason, usage } : { ok: true, stopReason, stopDetails, usage };
    if (this.#partialToolUse) outcome.partialToolUse = true;
    if (this.#begunCount > 0 && !this.#hasOutputTokens) outcome.outputUntold = true;
    // The API bills nothing for a request it refused before beginning a block. For other servers this is unknown.
    if (this.#wireStopReason === "refusal" && this.#begunCount === 0) outcome.unbilled = true;
    return outcome;
  }

  #delta(event: RawStreamEvent): void {
    const { delta } = event;
    if (!isRecord(delta)) return;
    const isCurrent = this.#current?.index === event["index"];
    const open = isCurrent ? this.#current : this.#open.get(indexOf(event));
    const block = open === undefined || isMisplaced(open, delta) ? this.#blockForUnannounced(event, delta) : open;
    if (block !== undefined) applyDelta(block, delta);
  }

  /** Some servers send text without announcing a block, or inside a block of another kind. The text still becomes a block. */
  #blockForUnannounced(event: RawStreamEvent, { type }: Record<string, unknown>): OpenBlock | undefined {
    if (type === "input_json_delta") return this.#callWithoutInput(event);
    if (type !== "text_delta" && type !== "thinking_delta") return undefined;
    this.#start({ ...event, content_block: { type: type === "text_delta" ? "text" : "thinking" } });
    return this.#current;
  }

  /** Some servers number their blocks wrongly: input for an unknown index belongs to the open tool call that has no input yet. */
  #callWithoutInput(event: RawStreamEvent): OpenBlock | undefined {
    const index = indexOf(event);
    const call = [...this.#open.values()].find(
      ({ wire, json, inputIndex }) => wire["type"] === "tool_use" && (json === "" || inputIndex === index),
    );
    if (call !== undefined) call.inputIndex = index;
    return call;
  }

  #start(event: RawStreamEvent): void {
    const { content_block: block } = event;
    const index = indexOf(event);
    // A block that the server did not close ends when another begins at its index. A tool call announced twice is one block.
    if (isRecord(block) && (block["id"] === undefined || this.#open.get(index)?.wire["id"] !== block["id"]))
      this.#stop(index);
    this.#settleEmpty();
    // A block without a type could not be sent back. Its deltas are treated as if no block had been announced.
    if (!isRecord(block) || stringOrEmpty(block["type"]) === "") return;
    this.#current = openBlock(index, block, this.#begunCount++);
    this.#open.set(index, this.#current);
  }

  #stop(index: number): void {
    const block = this.#open.get(index);
    if (block === undefined) return;
    this.#open.delete(index);
    if (this.#current === block) this.#current = undefined;
    const finished = finishBlock(block, `${this.messageId}_${index}`);
    if (finished !== undefined) this.#wait(block, finished);
    const text = textInCallBlock(block);
    if (text !== "") this.#wait({ ...block, order: block.order + 0.5 }, { block: { type: "text", text } });
    this.#releaseCertain();
  }

  /** The model continued, so a tool call without a byte of input was complete: it has no parameters. */
  #settleEmpty(): void {
    for (const { finished } of this.#waiting) if (finished.doubt === "empty") delete finished.doubt;
    this.#releaseCertain();
  }

  #wait(open: OpenBlock, finished: FinishedBlock): void {
    const before = this.#waiting.findLastIndex((other) => other.open.order < open.order);
    this.#waiting.splice(before + 1, 0, { open, finished });
  }

  #releaseCertain(): void {
    for (;;) {
      const next = this.#waiting[0];
      if (next === undefined || next.finished.doubt !== undefined || this.#isAnyOpenBefore(next.open)) return;
      this.#waiting.shift();
      this.#release(next.open.index, next.finished);
    }
  }

  #isAnyOpenBefore({ order }: OpenBlock): boolean {
    for (const open of this.#open.values()) if (open.order < order) return true;
    return false;
  }

  #release(index: number, { block, raw }: FinishedBlock): void {
    this.ready.push(
      raw === undefined ? { type: "block", index, block } : { type: "block", index, block, invalidInput: raw },
    );
  }

  #messageStart(event: RawStreamEvent): void {
    const message = isRecord(event["message"]) ? event["message"] : {};
    if (typeof message["id"] === "string" && !this.hasStarted) this.messageId = message["id"];
    this.hasStarted = true;
    this.#hasOutputTokens = false;
    this.#hasSpeed = reportsSpeed(message["usage"]);
    this.#usage = updateUsage(noUsage, message["usage"]);
  }

  #messageDelta(event: RawStreamEvent): void {
    this.#usage = updateUsage(this.#usage, event["usage"]);
    this.#hasOutputTokens ||= reportsOutput(event["usage"]);
    this.#hasSpeed ||= reportsSpeed(event["usage"]);
    const delta = isRecord(event["delta"]) ? event["delta"] : {};
    if (typeof delta["stop_reason"] === "string") {
      this.#wireStopReason = delta["stop_reason"];
      this.stopReason = normalizedStopReason(this.#wireStopReason);
    }
    if (isRecord(delta["stop_details"])) this.stopDetails = delta["stop_details"];
    if (this.stopReason !== null && !mayCutAnswer(this.stopReason)) this.#settleEmpty();
  }
}

function indexOf(event: RawStreamEvent): number {
  return typeof event["index"] === "number" ? event["index"] : 0;
}
