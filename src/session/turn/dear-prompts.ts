/** Prompts that the budget did not cover. While they are in the conversation, it covers no later one either, however short that is. */
import { dollars } from "../../lib/figures.ts";
import type { Message } from "../../protocol/message.ts";
import type { ClockPort, IdPort } from "../../loop/ports.ts";
import type { DearCall } from "../ledger/call-bound.ts";
import type { Conversation } from "../store/conversation.ts";
import { takenBack } from "../store/own-records.ts";

interface Now {
  conversation: Conversation;
  clock: ClockPort;
  ids: IdPort;
  /** What will be asked, and what may be spent on it. */
  model: string;
  remainingUsd: number;
  /** The last one; undefined where one was admitted since. */
  call: DearCall | undefined;
}

/** By what a call with a part of its request left out may still be dearer than that part's share says. */
const leeway = 1.1;

export class DearPrompts {
  #uuids: string[] = [];

  /** The budget has ended the turn of this prompt. */
  refused(prompt: string, { messages }: Conversation): void {
    const own = messages.slice(messages.findIndex(({ uuid }) => uuid === prompt));
    // What was answered in part is asked about again.
    const isAnswered = own.some(({ type }) => type === "assistant");
    this.#uuids = isAnswered ? [] : [...this.#uuids, ...own.filter(isOfPrompt).map(({ uuid }) => uuid)];
  }

  /** Before the next one is sent: they go where that lets it be sent. Answers what was recorded. */
  takeOut(now: Now, next: string): Message[] {
    const { conversation, call } = now;
    const { messages } = conversation;
    // What was answered after all, by another model say, is a part of what came later.
    const unanswered = messages.slice(messages.findLastIndex(({ type }) => type === "assistant") + 1);
    const dear = unanswered.filter(({ uuid }) => this.#uuids.includes(uuid) && uuid !== next);
    const asked = unanswered.filter(({ uuid }) => uuid === next);
    if (dear.length === 0 || call === undefined || call.model !== now.model) return [];
    const usdOf = (messages: readonly Message[]): number => (bytesOf(messages) / call.requestBytes) * call.inputUsd;
    // Of an agent's call nothing can be told.
    if (usdOf(dear) >= call.inputUsd) return [];
    const withAll = call.leastUsd + usdOf(asked);
    const without = withAll - usdOf(dear);
    if (withAll <= now.remainingUsd || without * leeway > now.remainingUsd) return [];
    this.#uuids = [];
    const text = `What the budget did not cover before was taken out of the conversation: with it this prompt could cost ${dollars(withAll)}, and ${dollars(now.remainingUsd)} is left. Give it again with a larger budget.`;
    const targets = dear.map(({ uuid }) => uuid);
    return takenBack(now, targets, "prompt_taken_out", text).filter((record) => conversation.append(record).ok);
  }
}

function isOfPrompt(message: Message): boolean {
  if (message.type === "user") return message.origin === "human";
  if (message.type !== "attachment") return false;
  const { attachment } = message;
  return attachment.kind === "hook_context" || (attachment.kind === "reminder" && attachment.name === "mentioned_file");
}

function bytesOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + Buffer.byteLength(JSON.stringify(message)), 0);
}
