/** Calls that the provider makes and answers itself, with their results. */
import type { ContentBlock } from "../protocol/message.ts";
import { isServerCall } from "../protocol/server-call.ts";

export function isServerResult(wire: Record<string, unknown>): boolean {
  return !isServerCall(wire) && wire["tool_use_id"] !== undefined;
}

/** Removes the provider's own calls without a result, and results without a call. Only a paused response may still owe a result. */
export function removeUnpairedServerCalls(
  blocks: ContentBlock[],
  takenIds: ReadonlySet<string>,
  paused: boolean,
): ContentBlock[] {
  if (!blocks.some((block) => block.type === "opaque")) return blocks;
  const answered = new Set<ContentBlock>();
  const resultIds = new Set<unknown>();
  for (const block of blocks.toReversed()) {
    if (block.type !== "opaque") continue;
    if (isServerResult(block.wire)) resultIds.add(block.wire["tool_use_id"]);
    else if (isServerCall(block.wire) && resultIds.delete(block.wire["id"])) answered.add(block);
  }
  const calls = new Set<unknown>(takenIds);
  for (const block of blocks) if (block.type === "tool_use") calls.add(block.id);
  const open = new Set<unknown>();
  return blocks.filter((block) => {
    if (block.type !== "opaque") return true;
    const { wire } = block;
    if (isServerResult(wire)) return open.delete(wire["tool_use_id"]);
    if (!isServerCall(wire)) return true;
    const { id } = wire;
    if (calls.has(id) || (!paused && !answered.has(block))) return false;
    calls.add(id);
    return open.add(id);
  });
}
