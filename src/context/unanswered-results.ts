/**
 * Shortens results that were refused before the model saw them. If the server has only now stated its window, they were never measured
 * against it. They go to files as they would have at once; nothing the model said is bound to them yet.
 */
import type { ContentBlock, Message, ToolResultBlock, UserMessage } from "../protocol/index.ts";
import type { Pass } from "./layer.ts";
import { unansweredStart } from "./media.ts";
import { requestTokens, safetyFactor, spanTokens } from "./measure.ts";
import { boundToolResult } from "./tool-result-budget.ts";

/** Returns the pass with previews for large results; undefined if the unanswered part leaves enough room, or has nothing too large. */
export async function withSmallerResults(pass: Pass): Promise<Pass | undefined> {
  const { world, input, messages, window } = pass;
  const start = unansweredStart(messages);
  if (spanTokens(messages.slice(start)) * safetyFactor * world.memory.scale <= window.compactAt) return undefined;
  const next: Message[] = messages.slice(0, start);
  let usedChars = 0;
  const bounded = async (block: ContentBlock): Promise<ContentBlock> => {
    if (block.type !== "tool_result") return block;
    const { tool_use_id: toolUseId } = block;
    const limits = { toolName: toolNameOf(messages, toolUseId), toolUseId, maxChars: Infinity, usedChars };
    const content = await boundToolResult(block.content, limits, world);
    usedChars += countCharacters(content);
    return content === block.content ? block : { ...block, content };
  };
  for (const message of messages.slice(start)) {
    if (message.type !== "user") next.push(message);
    else next.push(await rewriteMessage(message, bounded));
  }
  if (next.every((message, at) => message === messages[at])) return undefined;
  return { ...pass, messages: next, tokens: requestTokens(next, input.fixedTokens, world.memory.scale) };
}

async function rewriteMessage(
  message: UserMessage,
  change: (block: ContentBlock) => Promise<ContentBlock>,
): Promise<UserMessage> {
  const content: ContentBlock[] = [];
  for (const block of message.content) content.push(await change(block));
  return content.every((block, at) => block === message.content[at]) ? message : { ...message, content };
}

function toolNameOf(messages: readonly Message[], id: string): string {
  for (const message of messages.toReversed()) {
    if (message.type !== "assistant") continue;
    for (const block of message.content) if (block.type === "tool_use" && block.id === id) return block.name;
  }
  return "the tool";
}

function countCharacters(content: ToolResultBlock["content"]): number {
  if (typeof content === "string") return content.length;
  return content.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
}
