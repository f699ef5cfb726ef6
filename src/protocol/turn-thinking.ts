/** A thinking budget in the middle of a turn: the API requires the turn to begin with thinking, and refuses the request otherwise. */
import { isAnswer } from "./answers.ts";
import { leftOutKinds } from "./left-out-kinds.ts";
import type { AssistantMessage, Message } from "./message.ts";
import type { ApiMessage, ModelInfo, ThinkingSetting } from "./model.ts";
import { hasSignedThinking, isThinking } from "./thinking.ts";

export type Budgeted = Extract<ThinkingSetting, { type: "enabled" }>;

export function sendsThinkingBudget(
  thinking: ThinkingSetting,
  { known, thinking: form }: ModelInfo,
): thinking is Budgeted {
  return thinking.type === "enabled" && (!known || form === "enabled" || form === "adaptive");
}

/**
 * Whether the thinking before the first calls of this turn is missing in `sent`: because another model produced it, it was bound to a
 * prefix that no longer exists, or a summary replaces it. A server missing from the catalogue may require no thinking, and never signs any.
 *
 * To the API, a prompt beside results does not begin a new turn: the calls of an interrupted turn still count, and so does thinking that
 * was off when they were made.
 */
export function isTurnThinkingMissing(
  messages: readonly Message[],
  sent: readonly ApiMessage[],
  { id, known }: ModelInfo,
): boolean {
  const opening = firstAnswerOfChain(sent);
  const [first] = opening?.content ?? [];
  // Thinking further on is not enough: a turn that paused without any may have gone on with some.
  if (opening === undefined || first === undefined || isThinking(first)) return false;
  // A server that takes no thinking back requires none.
  if (leftOutKinds(messages, id).has("thinking")) return false;
  const calls = new Set(opening.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])));
  const at = messages.findLastIndex((message) => isAnswer(message) && message.content.some(isCallIn(calls)));
  const calling = messages[at];
  if (calling?.type !== "assistant") return false;
  const isOwn = (message: Message) => isAnswer(message) && message.messageId === calling.messageId;
  if (hasSignedThinking(messages.filter(isOwn))) return true;
  if (!known) return false;
  const promptAt = messages.findLastIndex(isPrompt);
  const isOfEarlierTurn = at < promptAt;
  return (
    isOfEarlierTurn || calling.model !== id || followsSummary(messages.slice(promptAt + 1, messages.findIndex(isOwn)))
  );
}

/** Returns the first answer in the chain of calls and results that `sent` ends with; undefined if it does not end with results. */
function firstAnswerOfChain(sent: readonly ApiMessage[]): ApiMessage | undefined {
  let at = sent.length - 1;
  while (sent[at]?.content.some(({ type }) => type === "tool_result") === true) at -= 2;
  return at === sent.length - 1 ? undefined : sent[at + 1];
}

function followsSummary(before: readonly Message[]): boolean {
  const at = before.findLastIndex((message) => message.type === "user" && message.origin === "compaction");
  return at >= 0 && !before.slice(at).some(isAnswer);
}

function isPrompt(message: Message): boolean {
  return (
    message.type === "user" && message.isMeta !== true && !message.content.some(({ type }) => type === "tool_result")
  );
}

function isCallIn(calls: ReadonlySet<string>) {
  return (block: AssistantMessage["content"][number]) => block.type === "tool_use" && calls.has(block.id);
}
