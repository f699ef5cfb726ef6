/** Converts a server's answer to a tool result: what a model can read, and a line for what it cannot. */
import { endTurnMetaKey } from "../protocol/end-turn-meta-key.ts";
import { maxValueDepth, isDeeperThan } from "../lib/is-deeper.ts";
import { isObject } from "../lib/json.ts";
import { withoutNulls } from "../lib/without-nulls.ts";
import { listIn } from "./any-object.ts";
import { mediaBlock } from "./result-media.ts";
import { reportsError, unexpectedFields } from "./result-mistakes.ts";
import { structureMissingFromText } from "./result-structure.ts";
import type { TextBlock, ToolResultContent } from "../protocol/message.ts";
import { textBlock } from "../protocol/text-block.ts";
import type { ToolResult } from "../protocol/tool.ts";

type Block = Exclude<ToolResultContent, string>[number];

const maxBlocks = 500;

export function toToolResult(serverResult: Record<string, unknown>): ToolResult {
  const answer = withoutNulls(serverResult);
  const parts = partsOf(answer);
  const blocks = partsBlocks(parts);
  const structured = answer["structuredContent"];
  const isDeep = isDeeperThan(structured, maxValueDepth);
  const tooDeepNotice = isDeep ? "[Its structure is nested too deep to be shown]" : undefined;
  const more = structured === undefined ? undefined : (tooDeepNotice ?? structureMissingFromText(structured, parts));
  if (more !== undefined) blocks.push(textBlock(more));
  const unexpected = blocks.length > 0 ? undefined : unexpectedFields(answer);
  if (unexpected !== undefined) blocks.push(textBlock(JSON.stringify(unexpected)));
  const result: ToolResult = { content: contentOf(blocks) };
  if (reportsError(answer, unexpected)) result.isError = true;
  else if (isObject(answer["_meta"]) && answer["_meta"][endTurnMetaKey] === true) result.endsTurn = true;
  const output = { content: parts, structuredContent: structured };
  // For clients. A deeper value could not be read back from its record.
  if (structured !== undefined && !isDeep && !isDeeperThan(parts, maxValueDepth)) result.output = output;
  return result;
}

/** The first version of the protocol had the answer in `toolResult`. */
function partsOf(answer: Record<string, unknown>): unknown[] {
  const { content, toolResult } = answer;
  if (content === undefined && toolResult !== undefined)
    return [textBlock(typeof toolResult === "string" ? toolResult : JSON.stringify(toolResult))];
  if (typeof content === "string") return [textBlock(content)];
  return isObject(content) ? [content] : listIn(answer, "content");
}

const emptyResultText = "(The tool answered nothing.)";

/** The API accepts no empty text block. */
function contentOf(blocks: Block[]): ToolResultContent {
  if (blocks.every((block): block is TextBlock => block.type === "text"))
    return blocks.map((block) => block.text).join("\n") || emptyResultText;
  return blocks.filter((block) => block.type !== "text" || block.text.trim() !== "");
}

function textOrUnknown(value: unknown): string {
  return typeof value === "string" ? value : "unknown";
}

/** The parts of an answer, of a resource or of a prompt. */
export function partsBlocks(parts: readonly unknown[]): Block[] {
  const blocks = parts.slice(0, maxBlocks).flatMap(partBlocks);
  if (parts.length > maxBlocks) blocks.push(textBlock(`[${parts.length - maxBlocks} more parts were left out]`));
  return blocks;
}

function partBlocks(part: unknown): Block[] {
  if (typeof part === "string") return [textBlock(part)];
  if (!isObject(part)) return [];
  switch (part["type"]) {
    case "text":
      return typeof part["text"] === "string" ? [textBlock(part["text"])] : [];
    case "image":
      return [mediaBlock({ ...mediaFields(part), what: "an image" })];
    case "audio":
      return [mediaBlock({ ...mediaFields(part), what: "audio" })];
    case "resource":
      return isObject(part["resource"]) ? resourceBlocks(part["resource"]) : [];
    case "resource_link": {
      const described = typeof part["description"] === "string" ? `: ${part["description"]}` : "";
      return [textBlock(`[resource ${textOrUnknown(part["uri"])} (${textOrUnknown(part["name"])})${described}]`)];
    }
    default:
      return [textBlock(JSON.stringify(part))];
  }
}

function mediaFields({ mimeType, data }: Record<string, unknown>): { mimeType: unknown; data: unknown } {
  return { mimeType, data };
}

export function resourceBlocks(resource: Record<string, unknown>): Block[] {
  const { uri, mimeType, text: words, blob } = resource;
  const head = `[resource ${textOrUnknown(uri)}${typeof mimeType === "string" ? `, ${mimeType}` : ""}]`;
  if (typeof words === "string") return [textBlock(`${head}\n${words}`)];
  if (typeof blob !== "string") return [textBlock(head)];
  const block = mediaBlock({ mimeType, data: blob, uri, what: "a file" });
  return block.type === "text" ? [textBlock(`${head}\n${block.text}`)] : [textBlock(head), block];
}
