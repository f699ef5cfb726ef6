/**
 * Compactions that win nothing: the window is full again within a few responses of each, so that most of what is paid for is
 * summaries. After `refillsUntilStop` such refills in a row none is made for the rest of the user turn, and it is said what fills
 * the window. A new prompt may have changed what is asked for: it is always allowed one.
 */
import type { Message, NoticeMessage } from "../protocol/index.ts";
import { breakdown } from "./breakdown.ts";
import { noticeOf, type Pass } from "./layer.ts";

/** Asked where a compaction is due. A notice: it is not to be made. */
export function thrashing(pass: Pass): NoticeMessage | undefined {
  const { memory, policy } = pass.world;
  const turns = responsesIn(pass.messages);
  // Without one that was made since, it is the same full window again.
  if (memory.hasCompacted) memory.refills = turns <= policy.refillTurns ? memory.refills + 1 : 0;
  memory.hasCompacted = false;
  const hasCompacted = pass.input.tracking.lastCompactedTurn !== undefined;
  if (memory.refills < policy.refillsUntilStop || !hasCompacted) return undefined;
  return noticeOf(pass.world, "warning", "compaction_thrashing", noticeText(pass));
}

/** Since the last compaction: what it keeps has no counts. */
function responsesIn(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + (message.type === "response_end" ? 1 : 0), 0);
}

function noticeText(pass: Pass): string {
  const { refillsUntilStop, refillTurns } = pass.world.policy;
  const what = fillers(pass)
    .map(([name, tokens]) => `${name} (about ${tokens} tokens)`)
    .join(", ");
  return `The conversation was compacted again and again: ${refillsUntilStop} times in a row the window of ${pass.window.window} tokens was full within ${refillTurns} responses, so no more is compacted in this turn. It is filled by ${what}. Read smaller parts of files, run commands with less output, or use a model with a larger window; then send a new prompt, or start anew.`;
}

const named = 4;
const names: Record<string, string> = {
  memory_files: "memory files",
  summary: "the summary",
  user: "prompts",
  attachments: "what was attached",
  assistant: "the model's own words",
  tool_calls: "tool calls",
  media: "images and documents",
};

/** The largest parts, system prompt and tools among them. */
function fillers({ input, messages, world }: Pass): [name: string, tokens: number][] {
  const { byKind, byTool } = breakdown(messages);
  const parts: [string, number][] = [["system prompt and tools", input.fixedTokens]];
  for (const [kind, tokens] of byKind) if (names[kind] !== undefined) parts.push([names[kind], tokens]);
  for (const [tool, tokens] of byTool) parts.push([`results of ${tool}`, tokens]);
  return parts
    .map(([name, tokens]): [string, number] => [name, Math.round(tokens * world.memory.scale)])
    .filter(([, tokens]) => tokens > 0)
    .sort(([, one], [, other]) => other - one)
    .slice(0, named);
}
