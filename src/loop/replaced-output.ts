/** Converts the output that a PostToolUse hook returned in place of a result into content for the model. */
import type { ToolResultContent } from "../protocol/message.ts";
import type { Tool } from "../protocol/tool.ts";
import { isRecord } from "../lib/is-record.ts";

/**
 * Returns the content for a replaced output. Text and blocks are used as they are, also inside an MCP-shaped result. A value in the shape
 * of the tool's own output is rendered by the tool. Any other value is sent as JSON if the tool's output has no shape of its own; otherwise
 * it is ignored, by convention: undefined.
 */
export function replacedOutputContent(value: unknown, tool: Pick<Tool, "contentOf">): ToolResultContent | undefined {
  if (typeof value === "string") return value;
  const rendered = tool.contentOf?.(value);
  if (rendered !== undefined) return rendered;
  if (isNonEmptyBlockList(value)) return value;
  if (isRecord(value) && isNonEmptyBlockList(value["content"])) return value["content"];
  if (tool.contentOf !== undefined) return undefined;
  return JSON.stringify(value) ?? String(value);
}

function isNonEmptyBlockList(value: unknown): value is Exclude<ToolResultContent, string> {
  return isBlockList(value) && value.length > 0;
}

/** Whether the value is valid content of a tool result. */
export function isToolResultContent(value: unknown): value is ToolResultContent {
  return typeof value === "string" || isBlockList(value);
}

export function isBlockList(value: unknown): value is Exclude<ToolResultContent, string> {
  return Array.isArray(value) && value.every(isResultBlock);
}

/** Whether the conversation accepts the value as a block of a result. */
function isResultBlock(value: unknown): boolean {
  if (!isRecord(value)) return false;
  if (value["type"] === "text") return typeof value["text"] === "string";
  if (value["type"] !== "image" && value["type"] !== "document") return false;
  return isRecord(value["source"]) && typeof value["source"]["type"] === "string";
}
