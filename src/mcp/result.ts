/** A server's answer to a call, as a tool's result: what a model can take of it, and a line for what it cannot. */
import { endTurnMark } from "../lib/end-turn-mark.ts";
import { isObject } from "../lib/json.ts";
import { listIn } from "./any-object.ts";
import type { DocumentBlock, ImageBlock, TextBlock, ToolResultContent } from "../protocol/message.ts";
import type { ToolResult } from "../protocol/tool.ts";

type Block = Exclude<ToolResultContent, string>[number];

const maxBlocks = 500;

export function toToolResult(answer: Record<string, unknown>): ToolResult {
  const { content } = answer;
  const given: unknown[] = typeof content === "string" ? [text(content)] : listIn(answer, "content");
  const blocks = given.slice(0, maxBlocks).flatMap(blockOf);
  if (given.length > maxBlocks) blocks.push(text(`[${given.length - maxBlocks} more parts were left out]`));
  const structured = answer["structuredContent"];
  if (structured !== undefined && !blocks.some((block) => block.type === "text"))
    blocks.push(text(JSON.stringify(structured)));
  const result: ToolResult = { content: contentOf(blocks) };
  if (answer["isError"] === true) result.isError = true;
  else if (isObject(answer["_meta"]) && answer["_meta"][endTurnMark] === true) result.endsTurn = true;
  if (structured !== undefined) result.output = { content: given, structuredContent: structured };
  return result;
}

function contentOf(blocks: Block[]): ToolResultContent {
  if (blocks.length === 0) return "(The tool answered nothing.)";
  if (blocks.every((block): block is TextBlock => block.type === "text"))
    return blocks.map((block) => block.text).join("\n");
  return blocks;
}

function text(content: string): TextBlock {
  return { type: "text", text: content };
}

function said(value: unknown): string {
  return typeof value === "string" ? value : "unknown";
}

/** A part of an answer, of a resource or of a prompt. */
export function blockOf(part: unknown): Block[] {
  if (!isObject(part)) return [];
  switch (part["type"]) {
    case "text":
      return typeof part["text"] === "string" ? [text(part["text"])] : [];
    case "image":
      return [mediaOf(part["mimeType"], part["data"], "an image")];
    case "audio":
      return [text(`[audio of type ${said(part["mimeType"])}: it cannot be played here]`)];
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

export function resourceBlocks(resource: Record<string, unknown>): Block[] {
  const { uri, mimeType, text: words, blob } = resource;
  const head = `[resource ${said(uri)}${typeof mimeType === "string" ? `, ${mimeType}` : ""}]`;
  if (typeof words === "string") return [text(`${head}\n${words}`)];
  return typeof blob === "string" ? [text(head), mediaOf(mimeType, blob, "a file")] : [text(head)];
}

const imageTypes = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;

function mediaOf(mimeType: unknown, data: unknown, what: string): TextBlock | ImageBlock | DocumentBlock {
  if (typeof data !== "string") return text(`[${what} without data]`);
  const kind = mimeType === "image/jpg" ? "image/jpeg" : mimeType;
  const image = imageTypes.find((type) => type === kind);
  if (image !== undefined) return { type: "image", source: { type: "base64", media_type: image, data } };
  if (mimeType === "application/pdf")
    return { type: "document", source: { type: "base64", media_type: "application/pdf", data } };
  const bytes = Math.floor((data.length * 3) / 4);
  return text(`[${what} of type ${said(mimeType)}, ${bytes} bytes: it cannot be shown here]`);
}
