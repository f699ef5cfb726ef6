/** Prompts that the budget did not cover. While they are in the conversation, it covers no later one either, however short that is. */
import { dollars } from "../../lib/figures.ts";
import { oneLine } from "../../lib/sanitize.ts";
import { contentText } from "../../protocol/block-text.ts";
import type { ContextPort } from "../../protocol/context.ts";
import type { Message } from "../../protocol/message.ts";
import type { ApiMessage, ModelInfo } from "../../protocol/model.ts";
import type { ClockPort, IdPort } from "../../loop/ports.ts";
import type { DearCall } from "../ledger/call-bound.ts";
import type { Conversation } from "../store/conversation.ts";
import { givenId } from "../store/given-ids.ts";
import { takenBack } from "../store/own-records.ts";

interface Now {
  conversation: Conversation;
  clock: ClockPort;
  ids: IdPort;
  context: Pick<ContextPort, "mediaTokens" | "mediaBytes">;
  /** What will be asked, and what may be spent on it. */
  model: string;
  info: ModelInfo;
  remainingUsd: number;
}

/** The call that was refused, and the conversation that it was made of, as far as that had come. */
interface Refusal {
  call: DearCall;
  length: number;
  last: string | undefined;
}

/** By what a call with a part of its request left out may still be dearer than that part's share says. */
const leeway = 1.1;

export class DearPrompts {
  #uuids: string[] = [];
  #refusal: Refusal | undefined;

  /** The budget has ended the turn of this prompt: with this call. `said`: uuids of it, and of what was said of it. */
  refused(said: readonly string[], { messages }: Conversation, call: DearCall | undefined): void {
    this.#refusal = call && { call, length: messages.length, last: messages.at(-1)?.uuid };
    const open = unanswered(messages);
    const isOpen = open.some(({ uuid }) => uuid === said[0]);
    // What was answered in part is asked about again. Others may have joined it since.
    const dear = open.filter(isOpen ? ({ uuid }) => said.includes(uuid) : isQueued);
    this.#uuids.push(...dear.map(({ uuid }) => uuid));
  }

  /** Before the next one is sent: they go where that lets it be sent. Answers what was recorded, for clients. */
  takeOut(now: Now, next: readonly string[]): Message[] {
    const { conversation } = now;
    const call = this.#callOf(conversation);
    // What was answered after all, by another model say, is a part of what came later.
    const open = unanswered(conversation.messages);
    const dear = open.filter(({ uuid }) => this.#uuids.includes(uuid) && !next.includes(uuid));
    const asked = open.filter(({ uuid }) => next.includes(uuid));
    if (dear.length === 0 || call === undefined || call.model !== now.model) return [];
    const usdOf = (messages: readonly Message[]): number =>
      (tokensOf(messages, now) / call.requestTokens) * call.inputUsd;
    // Of an agent's call nothing can be told.
    if (usdOf(dear) >= call.inputUsd) return [];
    const withAll = call.leastUsd + usdOf(asked);
    const without = withAll - usdOf(dear);
    if (withAll <= now.remainingUsd || without * leeway > now.remainingUsd) return [];
    this.#uuids = [];
    const text = `What the budget did not cover before${namely(dear)} was taken out of the conversation: with it this prompt could cost ${dollars(withAll)}, and ${dollars(now.remainingUsd)} is left. Give it again with a larger budget.`;
    const targets = dear.map(({ uuid }) => uuid);
    const records = takenBack(now, targets, "prompt_taken_out", text).filter((each) => conversation.append(each).ok);
    // Clients know a prompt by the id that they gave it.
    return records.map((each) => (each.type === "tombstone" ? { ...each, targets: dear.map(givenId) } : each));
  }

  /** Undefined where the conversation has been made shorter since: the next call is another one. */
  #callOf({ messages }: Conversation): DearCall | undefined {
    const { call, length = 0, last } = this.#refusal ?? {};
    return messages[length - 1]?.uuid === last ? call : undefined;
  }
}

function unanswered(messages: readonly Message[]): readonly Message[] {
  return messages.slice(messages.findLastIndex(({ type }) => type === "assistant") + 1);
}

/** Behind what was answered: a prompt that joined a running turn, or what hooks said of it. */
function isQueued(message: Message): boolean {
  if (message.type !== "attachment") return false;
  const { attachment } = message;
  return (
    attachment.kind === "queued_command" ||
    (attachment.kind === "hook_context" && attachment.event === "UserPromptSubmit")
  );
}

/** Who has asked for much, or for nothing, knows it by its first words. */
function namely(messages: readonly Message[]): string {
  const [text = ""] = messages.flatMap(asSent).map(({ content }) => oneLine(contentText(content), 60));
  return text === "" ? "" : ` ("${text}")`;
}

/** The most there can be, measured as the ledger measures a request. */
function tokensOf(messages: readonly Message[], { context, info }: Pick<Now, "context" | "info">): number {
  const bytes = messages.reduce((sum, message) => sum + Buffer.byteLength(JSON.stringify(message)), 0);
  const sent = messages.flatMap(asSent);
  const media = context.mediaTokens?.(messages, { window: info.contextWindow }) ?? 0;
  return bytes - (context.mediaBytes?.(sent, info) ?? 0) + media;
}

function asSent(message: Message): ApiMessage[] {
  if (message.type === "user") return [{ role: "user", content: message.content }];
  if (message.type !== "attachment" || message.attachment.kind !== "queued_command") return [];
  return [{ role: "user", content: message.attachment.prompt }];
}
