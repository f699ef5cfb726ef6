/**
 * Detects compactions that gain nothing: the window is full again within a few responses each time, so that most of the money goes into
 * summaries. After `refillsUntilStop` such refills in a row, compaction stops for the rest of the user turn, and a notice says what fills
 * the window. A new prompt may change the work, so it always gets one compaction.
 */
import type { Message, NoticeMessage } from "../protocol/index.ts";
import { breakdown } from "./breakdown.ts";
import type { Pass } from "./layer.ts";
import { newNotice } from "../protocol/new-record.ts";

/** Called when a compaction is due. Returns a notice if it must not be made. */
export function detectThrashing(pass: Pass): NoticeMessage | undefined {
  const { memory, policy } = pass.world;
  const responses = countResponses(pass.messages);
  // Without a compaction in between, it is still the same full window.
  if (memory.hasCompacted) memory.refills = responses <= policy.refillTurns ? memory.refills + 1 : 0;
  memory.hasCompacted = false;
  const hasCompacted = pass.input.tracking.lastCompactedTurn !== undefined;
  if (memory.refills < policy.refillsUntilStop || !hasCompacted) return undefined;
  return newNotice(pass.world, "warning", "compaction_thrashing", noticeText(pass));
}

/** Counts responses since the last compaction: the messages it keeps have no counts. */
function countResponses(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + (message.type === "response_end" ? 1 : 0), 0);
}

function noticeText(pass: Pass): string {
  const { refillsUntilStop, refillTurns } = pass.world.policy;
  const what = largestParts(pass)
    .map(([name, tokens]) => `${name} (about ${tokens} tokens)`)
    .join(", ");
  return `The conversation was compacted repeatedly: ${refillsUntilStop} times in a row the window of ${pass.window.window} tokens was full within ${refillTurns} responses, so nothing more is compacted in this turn. It is filled by ${what}. Read smaller parts of files, run commands with less output, or use a model with a larger window; then send a new prompt, or start a new session.`;
}

const mostNamed = 4;
const partNames: Record<string, string> = {
  memory_files: "memory files",
  summary: "the summary",
  user: "prompts",
  attachments: "what was attached",
  assistant: "the model's own words",
  tool_calls: "tool calls",
  media: "images and documents",
};

/** Returns the largest parts, including system prompt and tools. */
function largestParts({ input, messages, world }: Pass): [name: string, tokens: number][] {
  const { byKind, byTool } = breakdown(messages);
  const parts: [string, number][] = [["system prompt and tools", input.fixedTokens]];
  for (const [kind, tokens] of byKind) if (partNames[kind] !== undefined) parts.push([partNames[kind], tokens]);
  for (const [tool, tokens] of byTool) parts.push([`results of ${tool}`, tokens]);
  return parts
    .map(([name, tokens]): [string, number] => [name, Math.round(tokens * world.memory.scale)])
    .filter(([, tokens]) => tokens > 0)
    .sort(([, one], [, other]) => other - one)
    .slice(0, mostNamed);
}
