/** Estimates what a conversation consists of, by kind and by tool, to split totals that were counted elsewhere. */
import type { ContentBlock, ContextCategoryId, Message } from "../protocol/index.ts";
import { isAnswer } from "../protocol/answers.ts";
import { isThinking } from "../protocol/thinking.ts";
import { blockTokens, messageTokens } from "./measure.ts";

export interface Breakdown {
  byKind: Map<ContextCategoryId, number>;
  /** The part in `tool_results`, by the tool's name. */
  byTool: Map<string, number>;
}

export function breakdown(messages: readonly Message[]): Breakdown {
  const parts: Breakdown = { byKind: new Map(), byTool: new Map() };
  const tools = new Map<string, string>();
  const stripped = messages.findLastIndex((message) => message.type === "thinking_stripped");
  for (const [index, message] of messages.entries()) {
    if (isAnswer(message)) {
      for (const block of message.content) {
        if (block.type === "tool_use") tools.set(block.id, block.name);
        if (!isThinking(block) || index > stripped) addBlock(parts, block, "assistant", tools);
      }
    } else if (message.type === "user") {
      for (const block of message.content) addBlock(parts, block, userMessageKind(message), tools);
    } else if (message.type === "attachment") {
      if (message.attachment.kind === "queued_command")
        for (const block of message.attachment.prompt) addBlock(parts, block, "user", tools);
      else add(parts.byKind, "attachments", messageTokens(message).total);
    }
  }
  return parts;
}

function userMessageKind({ origin, isMeta, isCompactSummary }: Extract<Message, { type: "user" }>): ContextCategoryId {
  if (origin === "context") return "memory_files";
  if (isCompactSummary === true || origin === "compaction") return "summary";
  return isMeta === true ? "attachments" : "user";
}

function addBlock(
  parts: Breakdown,
  block: ContentBlock,
  kind: ContextCategoryId,
  tools: ReadonlyMap<string, string>,
): void {
  if (block.type === "image" || block.type === "document") return add(parts.byKind, "media", blockTokens(block));
  if (block.type === "tool_use") return add(parts.byKind, "tool_calls", blockTokens(block));
  if (block.type !== "tool_result") return add(parts.byKind, kind, blockTokens(block));
  const media = typeof block.content === "string" ? [] : block.content.filter((inner) => inner.type !== "text");
  for (const inner of media) addBlock(parts, inner, kind, tools);
  const rest = blockTokens(block) - media.reduce((sum, inner) => sum + blockTokens(inner), 0);
  add(parts.byKind, "tool_results", rest);
  add(parts.byTool, tools.get(block.tool_use_id) ?? "(of a call that was summarised)", rest);
}

function add<K>(sums: Map<K, number>, key: K, tokens: number): void {
  sums.set(key, (sums.get(key) ?? 0) + tokens);
}
