/** The conversation after a compaction, as one record: a crash leaves either the old conversation or the complete new one. */
import { isLeftOutNotice, leftOutNoticeName } from "../protocol/left-out-kinds.ts";
import type { CompactBoundaryMessage, Message, ModelInfo, UserMessage } from "../protocol/index.ts";
import { hasSignedThinking, isThinkingRejection } from "../protocol/thinking.ts";
import { continueText } from "./instructions.ts";
import type { World } from "./layer.ts";
import { newRecordFields, strippedThinkingMark } from "../protocol/new-record.ts";
import { firstPromptClosing, firstPromptOpening, type Plan } from "./plan.ts";

export type Trigger = Exclude<CompactBoundaryMessage["trigger"], "rewound">;

export interface RewriteOptions {
  trigger: Trigger;
  model: ModelInfo;
  /** The text that replaces `plan.older`. */
  summary: string;
  /** The API's own signed summary, which replaces all of `plan.before`. */
  block?: Record<string, unknown>;
}

/**
 * Returns the head, the reference to the first prompt, the summary, the tail and a mark, in that order. A signed summary comes first and
 * the tail directly after it, so that the tail's thinking is still bound to what precedes it; everything else that is kept follows.
 */
export function rewriteConversation(
  world: World,
  plan: Plan,
  { trigger, model, summary, block }: RewriteOptions,
): Message[] {
  const first = plan.firstPrompt === undefined ? [] : [firstPromptMessage(world, plan.firstPrompt)];
  const tail = plan.tail.filter(isConversation);
  // A manual compaction happens between two prompts, so the next prompt will end the conversation.
  const ended = trigger === "manual" ? tail : ensureEndsWithUser(world, tail);
  // The server refuses those kinds of blocks, and unsigned thinking, in every later message too.
  const notices = [...plan.older, ...plan.tail].filter(isLeftOutNotice);
  const kept = [...plan.older.filter(isThinkingRejection).slice(-1), ...ended];
  if (block !== undefined) {
    // A signed summary covers what its own model was sent, which did not include other models' thinking.
    const marks = hasOtherModelsThinking(tail, model) ? [strippedThinkingMark(world)] : [];
    return [
      { ...summaryMessage(world, summary), compactionBlock: block },
      ...ended,
      ...plan.head,
      ...first,
      ...marks,
      ...notices,
    ];
  }
  const marks = hasBoundThinking(tail, model) ? [strippedThinkingMark(world)] : [];
  return [...plan.head, ...first, summaryMessage(world, summary), ...kept, ...marks, ...notices];
}

export function createBoundary(
  world: World,
  figures: {
    trigger: CompactBoundaryMessage["trigger"];
    preTokens: number;
    postTokens: number;
    lastSummarizedUuid: string | null;
    leftOut?: "media";
  },
  messages: Message[],
): CompactBoundaryMessage {
  return { type: "compact_boundary", ...newRecordFields(world), ...figures, messages };
}

/**
 * If a reply cut by the window's end is the last message, adds the message that asks for its rest. It must be recorded, or the next request
 * would not begin with this one.
 */
function ensureEndsWithUser(world: World, messages: readonly Message[]): readonly Message[] {
  const last = messages.findLast((message) => isConversation(message) && message.type !== "thinking_stripped");
  return last?.type === "assistant" ? [...messages, metaMessage(world, continueText)] : messages;
}

export function metaMessage(world: World, text: string): UserMessage {
  const content = [{ type: "text" as const, text }];
  return {
    type: "user",
    ...newRecordFields(world),
    content,
    isMeta: true,
    origin: "compaction",
  };
}

/**
 * Whether the model binds its signed thinking in these messages to the prefix, which has changed. A model known not to bind thinking keeps
 * it, even in the middle of a turn: what it thought before the calls that it continues from must be sent back with them. Unsigned thinking
 * is bound to nothing.
 */
export function bindsThinking(messages: readonly Message[], model: ModelInfo): boolean {
  if (model.known && !model.thinkingBoundToPrefix) return false;
  return hasSignedThinking(messages);
}

/** A mark for this request only: the conversation gets its own once a turn is refused. */
export function leftOutMark(world: World, types: readonly string[]): Message {
  return {
    type: "notice",
    ...newRecordFields(world),
    level: "warning",
    name: leftOutNoticeName,
    text: "",
    data: { types },
  };
}

/**
 * Whether thinking in `messages` may be bound to a prefix that no longer exists. Thinking of a model other than the current one counts too:
 * it is not sent now, but would be refused once that model is chosen again.
 */
export function hasBoundThinking(messages: readonly Message[], model: ModelInfo): boolean {
  return bindsThinking(messages, model) || hasOtherModelsThinking(messages, model);
}

function hasOtherModelsThinking(messages: readonly Message[], model: ModelInfo): boolean {
  return messages.some(
    (message) => message.type === "assistant" && message.model !== model.id && hasSignedThinking([message]),
  );
}

/** Whether a message is sent to the model, or marks what is sent. Counts of the old request do not apply to the new one. */
function isConversation(message: Message): boolean {
  return (
    message.type === "user" ||
    message.type === "assistant" ||
    message.type === "attachment" ||
    message.type === "thinking_stripped"
  );
}

function firstPromptMessage(world: World, text: string): UserMessage {
  return metaMessage(world, `${firstPromptOpening}\n${text}\n${firstPromptClosing}`);
}

function summaryMessage(world: World, summary: string): UserMessage {
  return { ...metaMessage(world, summary), isCompactSummary: true };
}
