/** Reads what a user submits as content blocks. */
import { maxValueDepth, isDeeperThan } from "../../lib/is-deeper.ts";
import { isRecord } from "../../lib/is-record.ts";
import { withoutNulls } from "../../lib/without-nulls.ts";
import type { ContentBlock } from "../../protocol/message.ts";
import type { Failure } from "../../protocol/stop.ts";
import { checkContent } from "../../transcript/check-content.ts";
import { checkBlocks, checkReadable } from "../options/check-arguments.ts";

/**
 * Returns a copy of the blocks, because a host may go on changing its list. The caller refuses what cannot be sent. Throws
 * `UsageError` for anything but a text or a list, and for blocks that cannot be read.
 */
export function readPrompt(prompt: string | ContentBlock[]): ContentBlock[] {
  if (typeof prompt === "string") return [{ type: "text", text: prompt }];
  checkBlocks(prompt);
  for (const block of prompt) checkReadable("A block of a prompt", block);
  return prompt.map((block) => (isRecord(block) ? withoutNulls(block) : block));
}

/** Returns what is wrong with a prompt, as the failure of its turn, or null if it can be recorded and sent. */
export function promptProblem(prompt: readonly ContentBlock[]): Failure | null {
  if (isDeeperThan(prompt, maxValueDepth))
    return invalidRequest(`The prompt cannot be used: it is nested more than ${maxValueDepth} levels deep.`);
  const wrong = checkContent(prompt, "user");
  if (wrong !== undefined) return invalidRequest(`The prompt cannot be used: it has ${wrong}.`);
  if (prompt.some(({ type }) => type === "tool_result"))
    return invalidRequest(
      "The prompt cannot be used: it has a tool_result block, and every call has its result already.",
    );
  if (prompt.some((block) => block.type !== "text" || block.text.trim() !== "")) return null;
  return invalidRequest("The prompt is empty: say what is to be done.");
}

export function invalidRequest(message: string): Failure {
  return { kind: "invalid_request", message };
}
