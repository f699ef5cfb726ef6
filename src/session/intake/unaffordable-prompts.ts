/** Prompts that the budget did not cover. While they stay in the conversation, it covers no later prompt either, however short. */
import { formatDollars } from "../../lib/format-figures.ts";
import { oneLine } from "../../lib/sanitize.ts";
import { contentText } from "../../protocol/block-text.ts";
import type { ContextPort } from "../../protocol/context.ts";
import type { Message } from "../../protocol/message.ts";
import type { ApiMessage, ModelInfo } from "../../protocol/model.ts";
import type { ClockPort, IdPort } from "../../loop/ports.ts";
import type { UnaffordableCall } from "../ledger/call-cost-bound.ts";
import type { Conversation } from "../store/conversation.ts";
import { clientMessageId } from "../store/client-ids.ts";
import { removalRecords } from "../store/own-records.ts";

interface PromptContext {
  conversation: Conversation;
  clock: ClockPort;
  ids: IdPort;
  context: Pick<ContextPort, "mediaTokens" | "mediaBytes">;
  /** The model to be asked, and what may be spent on it. */
  model: string;
  info: ModelInfo;
  remainingUsd: number;
}

/** The refused call, and the extent of the conversation it was made from. */
interface Refusal {
  call: UnaffordableCall;
  length: number;
  last: string | undefined;
}

/** The factor by which a call without some of its messages may still exceed the share computed for it. */
const tolerance = 1.1;

export class UnaffordablePrompts {
  #uuids: string[] = [];
  #refusal: Refusal | undefined;

  /** Records that the budget refused this call and so ended the prompt's turn. `promptUuids`: uuids of the prompt and of the messages about it. */
  recordRefusal(promptUuids: readonly string[], { messages }: Conversation, call: UnaffordableCall | undefined): void {
    this.#refusal = call && { call, length: messages.length, last: messages.at(-1)?.uuid };
    const open = unanswered(messages);
    const isOpen = open.some(({ uuid }) => uuid === promptUuids[0]);
    // A prompt that was partly answered is asked again. Other prompts may have joined it since.
    const refusedPrompts = open.filter(isOpen ? ({ uuid }) => promptUuids.includes(uuid) : joinedRunningTurn);
    this.#uuids.push(...refusedPrompts.map(({ uuid }) => uuid));
  }

  /** Before the next prompt is sent: removes the refused ones if that makes it affordable. Returns the recorded messages, for clients. */
  removeRefused(now: PromptContext, next: readonly string[]): Message[] {
    const { conversation } = now;
    const call = this.#callOf(conversation);
    // Prompts that were answered after all, for example by another model, are part of what came later.
    const open = unanswered(conversation.messages);
    const refusedPrompts = open.filter(({ uuid }) => this.#uuids.includes(uuid) && !next.includes(uuid));
    const requested = open.filter(({ uuid }) => next.includes(uuid));
    if (refusedPrompts.length === 0 || call === undefined || call.model !== now.model) return [];
    const usdOf = (messages: readonly Message[]): number =>
      (tokensOf(messages, now) / call.requestTokens) * call.inputUsd;
    // The call of an agent says nothing about the conversation here.
    if (usdOf(refusedPrompts) >= call.inputUsd) return [];
    const withAll = call.leastUsd + usdOf(requested);
    const without = withAll - usdOf(refusedPrompts);
    if (withAll <= now.remainingUsd || without * tolerance > now.remainingUsd) return [];
    this.#uuids = [];
    const text = `Earlier input that the budget did not cover${quotedBeginning(refusedPrompts)} was taken out of the conversation: with it, this prompt could cost ${formatDollars(withAll)}, and only ${formatDollars(now.remainingUsd)} is left. Send it again with a larger budget.`;
    const targets = refusedPrompts.map(({ uuid }) => uuid);
    const records = removalRecords(now, targets, "prompt_taken_out", text).filter(
      (each) => conversation.append(each).ok,
    );
    // Clients know a prompt by the id that they gave it.
    return records.map((each) =>
      each.type === "tombstone" ? { ...each, targets: refusedPrompts.map(clientMessageId) } : each,
    );
  }

  /** Undefined if the conversation has become shorter since, because the next call is then a different one. */
  #callOf({ messages }: Conversation): UnaffordableCall | undefined {
    const { call, length = 0, last } = this.#refusal ?? {};
    return messages[length - 1]?.uuid === last ? call : undefined;
  }
}

function unanswered(messages: readonly Message[]): readonly Message[] {
  return messages.slice(messages.findLastIndex(({ type }) => type === "assistant") + 1);
}

/** Whether the message joined a running turn after an answer: a prompt, or what hooks said about one. */
function joinedRunningTurn(message: Message): boolean {
  if (message.type !== "attachment") return false;
  const { attachment } = message;
  return (
    attachment.kind === "queued_command" ||
    (attachment.kind === "hook_context" && attachment.event === "UserPromptSubmit")
  );
}

/** Quotes the beginning of the first prompt, by which its author recognizes it; empty if that has no text. */
function quotedBeginning(messages: readonly Message[]): string {
  const [text = ""] = messages.flatMap(toApiMessages).map(({ content }) => oneLine(contentText(content), 60));
  return text === "" ? "" : ` ("${text}")`;
}

/** An upper bound, measured the way the ledger measures a request. */
function tokensOf(messages: readonly Message[], { context, info }: Pick<PromptContext, "context" | "info">): number {
  const bytes = messages.reduce((sum, message) => sum + Buffer.byteLength(JSON.stringify(message)), 0);
  const sent = messages.flatMap(toApiMessages);
  const media = context.mediaTokens?.(messages, { window: info.contextWindow }) ?? 0;
  return bytes - (context.mediaBytes?.(sent, info) ?? 0) + media;
}

function toApiMessages(message: Message): ApiMessage[] {
  if (message.type === "user") return [{ role: "user", content: message.content }];
  if (message.type !== "attachment" || message.attachment.kind !== "queued_command") return [];
  return [{ role: "user", content: message.attachment.prompt }];
}
