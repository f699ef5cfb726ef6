/** Makes room without a model: the pinned head, the last turns that fit, and one line for each thing left out. Pure. */
import { contentText } from "../protocol/block-text.ts";
import type { AssistantMessage, Message, ToolResultBlock, UserMessage } from "../protocol/index.ts";
import { headOf, middleCut } from "../lib/text-cut.ts";
import { textTokens } from "./measure.ts";
import { isPrompt } from "./trajectories.ts";

const lineLength = 160;
const earlierShare = 0.5;

export interface Digest {
  lines: string[];
  /** The summary from an earlier compaction, cut to its share. */
  earlier: string | undefined;
}

/** Returns one line for each prompt, text and call in `messages`, in order: the newest that fit `tokens`. */
export function createDigest(messages: readonly Message[], tokens: number): Digest {
  const earlier = earlierSummary(messages, Math.floor(tokens * earlierShare));
  let room = tokens - (earlier === undefined ? 0 : textTokens(earlier));
  const results = resultsById(messages);
  const kept: string[] = [];
  let left = 0;
  for (const message of messages.toReversed()) {
    for (const line of digestLines(message, results).toReversed()) {
      const cost = textTokens(line) + 1;
      if (left > 0 || cost > room) {
        left++;
        continue;
      }
      room -= cost;
      kept.push(line);
    }
  }
  const lines = kept.reverse();
  return { lines: left > 0 && lines.length > 0 ? [`(${left} earlier lines left out)`, ...lines] : lines, earlier };
}

function digestLines(message: Message, results: Map<string, ToolResultBlock>): string[] {
  if (message.type === "assistant") return assistantLines(message, results);
  if (isPrompt(message)) return [`- user: ${shortLine(contentText(message.content, " "))}`];
  return [];
}

function assistantLines(message: AssistantMessage, results: Map<string, ToolResultBlock>): string[] {
  if (message.apiError !== undefined) return [];
  return message.content.flatMap((block): string[] => {
    if (block.type === "text") return block.text.trim() === "" ? [] : [`- assistant: ${shortLine(block.text)}`];
    if (block.type !== "tool_use") return [];
    return [
      `- ${block.name} ${headOf(JSON.stringify(block.input) ?? "", lineLength)} → ${outcomeText(results.get(block.id))}`,
    ];
  });
}

function outcomeText(result: ToolResultBlock | undefined): string {
  if (result === undefined) return "no result";
  const { content } = result;
  if (result.is_error === true) return `error: ${shortLine(contentText(content, " "))}`;
  return `ok, ${content.length} ${typeof content === "string" ? "characters" : "blocks"}`;
}

function earlierSummary(messages: readonly Message[], tokens: number): string | undefined {
  const message = messages.findLast(
    (each): each is UserMessage => each.type === "user" && each.isCompactSummary === true,
  );
  if (message === undefined || tokens <= 0) return undefined;
  const whole = contentText(message.content, " ");
  // The ends of the text may have more tokens per character than the whole.
  for (let length = (whole.length * tokens) / textTokens(whole); length >= 1; length *= 0.95) {
    const text = middleCut(whole, Math.floor(length));
    if (textTokens(text) <= tokens) return text;
  }
  return undefined;
}

function resultsById(messages: readonly Message[]): Map<string, ToolResultBlock> {
  const results = new Map<string, ToolResultBlock>();
  for (const message of messages) {
    if (message.type !== "user") continue;
    for (const block of message.content) if (block.type === "tool_result") results.set(block.tool_use_id, block);
  }
  return results;
}

function shortLine(text: string): string {
  return middleCut(text.replace(/\s+/g, " ").trim(), lineLength);
}
