/** Divides a conversation for a compaction: the pinned head, the part to summarise, and the part that stays. */
import { isAnswer } from "../protocol/answers.ts";
import { contentText } from "../protocol/block-text.ts";
import type { AssistantMessage, Message } from "../protocol/index.ts";
import { isLeftOutNotice } from "../protocol/left-out-kinds.ts";
import { isThinking } from "../protocol/thinking.ts";
import { middleCut } from "../lib/text-cut.ts";
import { spanTokens } from "./measure.ts";
import { cutPoints, headLength, isContext, isPrompt } from "./trajectories.ts";

export interface Plan {
  /** Everything before the cut, as it is sent. */
  before: readonly Message[];
  /** The part of `before` that stays: memory files and the date. */
  head: Message[];
  /** The user's first prompt, or the reference to it left by an earlier compaction; undefined if it is in the tail. */
  firstPrompt: string | undefined;
  /** The part of `before` that is left out. */
  older: Message[];
  tail: Message[];
}

/** Tags around the user's first message in a compacted conversation. */
export const firstPromptOpening = "<first_user_message>";
export const firstPromptClosing = "</first_user_message>";
const firstPromptLength = 4_000;

/**
 * Plans a compaction with the longest tail within `tailTokens` (estimated, unscaled). A tail that begins at a prompt is preferred if it is
 * at least half as long. The last turn stays even if it is larger. Undefined if there is nothing to cut off. `atRoleBorder`: cut only where
 * one API message ends and another begins.
 */
export function planCompaction(
  messages: readonly Message[],
  tailTokens: number,
  atRoleBorder = false,
): Plan | undefined {
  const headEnd = headLength(messages);
  const points = cutPoints(messages).filter(
    (point) => point > headEnd && (!atRoleBorder || isRoleBorder(messages, point)),
  );
  const cut = chooseCut(messages, points, tailTokens);
  return cut === undefined ? undefined : planAtCut(messages, cut);
}

function planAtCut(messages: readonly Message[], cut: number): Plan {
  const before = messages.slice(0, cut);
  const tail = messages.slice(cut);
  const older = before.filter((message) => !isContext(message));
  // What is not sent because of a mark after the cut (stripped thinking, kinds of blocks) is not sent with the messages before it either.
  const mark = tail.find((message) => message.type === "thinking_stripped");
  return {
    before: [...before, ...(mark === undefined ? [] : [mark]), ...tail.filter(isLeftOutNotice)],
    head: before.filter(isContext),
    firstPrompt: findFirstPrompt(older),
    older,
    tail,
  };
}

function chooseCut(messages: readonly Message[], points: readonly number[], tailTokens: number): number | undefined {
  let chosen = { cut: points.at(-1), tail: 0 };
  let atPrompt = { cut: undefined as number | undefined, tail: 0 };
  let tail = 0;
  let end = messages.length;
  for (const point of points.toReversed()) {
    tail += spanTokens(messages.slice(point, end));
    end = point;
    if (tail > tailTokens) break;
    chosen = { cut: point, tail };
    if (isPrompt(messages[point])) atPrompt = chosen;
  }
  return atPrompt.cut !== undefined && atPrompt.tail >= chosen.tail / 2 ? atPrompt.cut : chosen.cut;
}

/** The API sees neighbouring messages of one role as one message. */
function isRoleBorder(messages: readonly Message[], at: number): boolean {
  return roleFrom(messages, at - 1, -1) !== roleFrom(messages, at, 1);
}

/** Returns the role of the first message that is sent, searching from there. */
function roleFrom(messages: readonly Message[], from: number, step: 1 | -1): "user" | "assistant" | undefined {
  for (let at = from; at >= 0 && at < messages.length; at += step) {
    const message = messages[at];
    if (message?.type === "user" || message?.type === "attachment") return "user";
    if (message !== undefined && isAnswer(message) && isSent(messages, message)) return "assistant";
  }
  return undefined;
}

/** Whether an assistant message is sent. A response that was cut while the model was still thinking is not. */
function isSent(messages: readonly Message[], { content, messageId }: AssistantMessage): boolean {
  if (!content.every(isThinking)) return true;
  return messages.some(
    (each) => each.type === "assistant" && each.messageId === messageId && !each.content.every(isThinking),
  );
}

/** Returns the first prompt. One carried over by an earlier compaction comes first, because it may stand after later prompts. */
function findFirstPrompt(messages: readonly Message[]): string | undefined {
  for (const message of messages) {
    const carried = carriedFirstPrompt(message);
    if (carried !== undefined) return carried;
  }
  const first = messages.find(isPrompt);
  return first === undefined ? undefined : middleCut(contentText(first.content), firstPromptLength);
}

/** Returns the first prompt that an earlier compaction left a reference to in this message; undefined for any other message. */
export function carriedFirstPrompt(message: Message): string | undefined {
  if (message.type !== "user" || message.origin !== "compaction") return undefined;
  const block = message.content[0];
  if (block?.type !== "text" || !block.text.startsWith(firstPromptOpening)) return undefined;
  const end = block.text.lastIndexOf(firstPromptClosing);
  return block.text.slice(firstPromptOpening.length, end < 0 ? undefined : end).trim();
}
