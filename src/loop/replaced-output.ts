/** What a PostToolUse hook put in the place of a result, as the model can be given it. */
import type { ToolResultContent } from "../protocol/message.ts";
import type { Tool } from "../protocol/tool.ts";
import { isRecord } from "../lib/is-record.ts";

/**
 * Text and blocks as they are, also in the shape of an MCP answer; the tool's own output as the tool would tell it. Anything else is
 * told as its JSON of a tool whose output has no shape of its own; of another it counts for nothing, by convention: undefined.
 */
export function replacedOutput(value: unknown, tool: Pick<Tool, "contentOf">): ToolResultContent | undefined {
  if (typeof value === "string") return value;
  const told = tool.contentOf?.(value);
  if (told !== undefined) return told;
  if (isBlocks(value)) return value;
  if (isRecord(value) && isBlocks(value["content"])) return value["content"];
  if (tool.contentOf !== undefined) return undefined;
  return JSON.stringify(value) ?? String(value);
}

function isBlocks(value: unknown): value is Exclude<ToolResultContent, string> {
  return areBlocks(value) && value.length > 0;
}

/** Whether it is what a result may hold. */
export function isContent(value: unknown): value is ToolResultContent {
  return typeof value === "string" || areBlocks(value);
}

export function areBlocks(value: unknown): value is Exclude<ToolResultContent, string> {
  return Array.isArray(value) && value.every(isBlock);
}

/** Whether the conversation can take it as part of a result. */
function isBlock(value: unknown): boolean {
  if (!isRecord(value)) return false;
  if (value["type"] === "text") return typeof value["text"] === "string";
  const { source } = value;
  return (value["type"] === "image" || value["type"] === "document") && isRecord(source) && isText(source["type"]);
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}
