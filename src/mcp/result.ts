/** Converts a server's answer to a tool result: what a model can read, and a line for what it cannot. */
import { endTurnMark } from "../lib/end-turn-mark.ts";
import { deepestValue, isDeeperThan } from "../lib/is-deeper.ts";
import { isObject } from "../lib/json.ts";
import { withoutNulls } from "../lib/without-nulls.ts";
import { listIn } from "./any-object.ts";
import { mediaOf } from "./result-media.ts";
import { unsaid } from "./result-structure.ts";
import type { TextBlock, ToolResultContent } from "../protocol/message.ts";
import type { ToolResult } from "../protocol/tool.ts";

type Block = Exclude<ToolResultContent, string>[number];

const maxBlocks = 500;

export function toToolResult(given: Record<string, unknown>): ToolResult {
  const answer = withoutNulls(given);
  const parts = partsOf(answer);
  const blocks = parts.slice(0, maxBlocks).flatMap(blockOf);
  if (parts.length > maxBlocks) blocks.push(text(`[${parts.length - maxBlocks} more parts were left out]`));
  const structured = answer["structuredContent"];
  const isDeep = isDeeperThan(structured, deepestValue);
  const untold = isDeep ? "[Its structure is nested too deep to be shown]" : undefined;
  const more = structured === undefined ? undefined : (untold ?? unsaid(structured, parts));
  if (more !== undefined) blocks.push(text(more));
  const result: ToolResult = { content: contentOf(blocks) };
  if (answer["isError"] === true) result.isError = true;
  else if (isObject(answer["_meta"]) && answer["_meta"][endTurnMark] === true) result.endsTurn = true;
  const output = { content: parts, structuredContent: structured };
  // For clients. A deeper value could not be read back from its record.
  if (structured !== undefined && !isDeep && !isDeeperThan(parts, deepestValue)) result.output = output;
  return result;
}

/** The first version of the protocol had the answer in `toolResult`. */
function partsOf(answer: Record<string, unknown>): unknown[] {
  const { content, toolResult } = answer;
  if (content === undefined && toolResult !== undefined)
    return [text(typeof toolResult === "string" ? toolResult : JSON.stringify(toolResult))];
  if (typeof content === "string") return [text(content)];
  return isObject(content) ? [content] : listIn(answer, "content");
}

const nothing = "(The tool answered nothing.)";

/** The API accepts no empty text block. */
function contentOf(blocks: Block[]): ToolResultContent {
  if (blocks.every((block): block is TextBlock => block.type === "text"))
    return blocks.map((block) => block.text).join("\n") || nothing;
  return blocks.filter((block) => block.type !== "text" || block.text.trim() !== "");
}

function text(content: string): TextBlock {
  return { type: "text", text: content };
}

function said(value: unknown): string {
  return typeof value === "string" ? value : "unknown";
}

/** A part of an answer, of a resource or of a prompt. */
export function blockOf(part: unknown): Block[] {
  if (typeof part === "string") return [text(part)];
  if (!isObject(part)) return [];
  switch (part["type"]) {
    case "text":
      return typeof part["text"] === "string" ? [text(part["text"])] : [];
    case "image":
      return [mediaOf({ ...mediaIn(part), what: "an image" })];
    case "audio":
      return [mediaOf({ ...mediaIn(part), what: "audio" })];
    case "resource":
      return isObject(part["resource"]) ? resourceBlocks(part["resource"]) : [];
    case "resource_link": {
      const described = typeof part["description"] === "string" ? `: ${part["description"]}` : "";
      return [text(`[resource ${said(part["uri"])} (${said(part["name"])})${described}]`)];
    }
    default:
      return [text(JSON.stringify(part))];
  }
}

function mediaIn({ mimeType, data }: Record<string, unknown>): { mimeType: unknown; data: unknown } {
  return { mimeType, data };
}

export function resourceBlocks(resource: Record<string, unknown>): Block[] {
  const { uri, mimeType, text: words, blob } = resource;
  const head = `[resource ${said(uri)}${typeof mimeType === "string" ? `, ${mimeType}` : ""}]`;
  if (typeof words === "string") return [text(`${head}\n${words}`)];
  if (typeof blob !== "string") return [text(head)];
  const block = mediaOf({ mimeType, data: blob, uri, what: "a file" });
  return block.type === "text" ? [text(`${head}\n${block.text}`)] : [text(head), block];
}
