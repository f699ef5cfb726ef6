/** The conversation after a compaction, as the one record that is it: a crash leaves either the old one or all of the new. */
import { leftOutName } from "../protocol/left-out.ts";
import type { CompactBoundaryMessage, Message, ModelInfo, UserMessage } from "../protocol/index.ts";
import { hasSignedThinking } from "../protocol/thinking.ts";
import { continueText } from "./instructions.ts";
import { minted, type World } from "./layer.ts";
import { firstPromptClosing, firstPromptOpening, type Plan } from "./plan.ts";

export type Trigger = Exclude<CompactBoundaryMessage["trigger"], "rewound">;

export interface Rewriting {
  trigger: Trigger;
  model: ModelInfo;
  /** What stands for `plan.older`. */
  summary: string;
  /** The API's own, which stands for all of `plan.before`. */
  block?: Record<string, unknown>;
}

/**
 * Head, reference to the first prompt, summary, tail, mark. A signed summary comes first and the tail directly behind it: then
 * the tail's thinking is still bound to what stands before it. What is kept beside them follows.
 */
export function rewritten(world: World, plan: Plan, { trigger, model, summary, block }: Rewriting): Message[] {
  const first = plan.firstPrompt === undefined ? [] : [firstPromptMessage(world, plan.firstPrompt)];
  const tail = plan.tail.filter(isConversation);
  // By hand it is done between two prompts: the next one ends the conversation.
  const ended = trigger === "manual" ? tail : endedByUser(world, tail);
  if (block !== undefined) {
    // It stands for what its own model was sent, of which the thinking of others was no part.
    const marks = hasThinkingOfOthers(tail, model) ? [strippedMark(world)] : [];
    return [{ ...summaryMessage(world, summary), compactionBlock: block }, ...ended, ...plan.head, ...first, ...marks];
  }
  const marks = hasBoundThinking(tail, model) ? [strippedMark(world)] : [];
  return [...plan.head, ...first, summaryMessage(world, summary), ...ended, ...marks];
}

export function boundaryOf(
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
  return { type: "compact_boundary", ...minted(world), ...figures, messages };
}

/**
 * A reply that the window's end cut short is the last message: what asks for its rest is recorded, or the next request would
 * not begin with this one.
 */
function endedByUser(world: World, messages: readonly Message[]): readonly Message[] {
  const last = messages.findLast((message) => isConversation(message) && message.type !== "thinking_stripped");
  return last?.type === "assistant" ? [...messages, metaText(world, continueText)] : messages;
}

export function metaText(world: World, text: string): UserMessage {
  const content = [{ type: "text" as const, text }];
  return {
    type: "user",
    ...minted(world),
    content,
    isMeta: true,
    origin: "compaction",
  };
}

/**
 * Thinking is bound to what stood before it, which has changed. A model known not to bind it keeps it, amid a turn, too: what
 * it thought before the calls that it goes on from has to come back with them. What nobody signed is bound to nothing.
 */
export function bindsThinking(messages: readonly Message[], model: ModelInfo): boolean {
  if (model.known && !model.thinkingBoundToPrefix) return false;
  return hasSignedThinking(messages);
}

export function strippedMark(world: World): Message {
  return { type: "thinking_stripped", ...minted(world), reason: "rewritten" };
}

/** Of the request alone: the conversation has it once a turn is refused. */
export function leftOutMark(world: World, types: readonly string[]): Message {
  return { type: "notice", ...minted(world), level: "warning", name: leftOutName, text: "", data: { types } };
}

/**
 * Whether thinking in `messages` may be bound to a prefix that is no more. That of another model than today's is not sent now, and
 * would be refused once that model is chosen again.
 */
export function hasBoundThinking(messages: readonly Message[], model: ModelInfo): boolean {
  return bindsThinking(messages, model) || hasThinkingOfOthers(messages, model);
}

function hasThinkingOfOthers(messages: readonly Message[], model: ModelInfo): boolean {
  return messages.some(
    (message) => message.type === "assistant" && message.model !== model.id && hasSignedThinking([message]),
  );
}

/** What the model is sent, and the marks that say what of it. The counts of the old request say nothing of the new one. */
function isConversation(message: Message): boolean {
  return (
    message.type === "user" ||
    message.type === "assistant" ||
    message.type === "attachment" ||
    message.type === "thinking_stripped"
  );
}

function firstPromptMessage(world: World, text: string): UserMessage {
  return metaText(world, `${firstPromptOpening}\n${text}\n${firstPromptClosing}`);
}

function summaryMessage(world: World, summary: string): UserMessage {
  return { ...metaText(world, summary), isCompactSummary: true };
}
