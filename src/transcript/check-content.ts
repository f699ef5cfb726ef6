/** Checks whether parsed JSON is the content of a user or assistant message. Returns what is wrong, or undefined. */
import { isMaybe, isText, type Thing } from "./check.ts";
import { isRecord } from "../lib/is-record.ts";

type Role = "user" | "assistant" | "result";

const allowed: Record<Role, ReadonlySet<string>> = {
  user: new Set(["text", "image", "document", "tool_result", "opaque"]),
  assistant: new Set(["text", "thinking", "redacted_thinking", "tool_use", "opaque"]),
  result: new Set(["text", "image", "document"]),
};
const imageTypes: unknown[] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

export function checkContent(content: unknown, role: Role): string | undefined {
  if (!Array.isArray(content)) return "content";
  for (const block of content) {
    if (!isRecord(block) || !isText(block["type"])) return "a malformed block";
    if (!allowed[role].has(block["type"])) return `a ${block["type"].slice(0, 40)} block in ${role} content`;
    if (!isBlock(block)) return `a ${block["type"]} block with a missing or malformed field`;
  }
  return undefined;
}

function isBlock(block: Thing): boolean {
  switch (block["type"]) {
    case "text":
      return isText(block["text"]) && isMaybe(block["citations"], Array.isArray);
    case "thinking":
      return isText(block["thinking"]) && isMaybe(block["signature"], isText);
    case "redacted_thinking":
      return isText(block["data"]);
    case "tool_use":
      return isFilled(block["id"]) && isFilled(block["name"]) && isRecord(block["input"]);
    case "tool_result":
      return isToolResult(block);
    case "image":
      return isImageSource(block["source"]);
    case "document":
      return isDocumentSource(block["source"]) && isMaybe(block["title"], isText) && isMaybe(block["context"], isText);
    case "opaque":
      return isRecord(block["wire"]) && isText(block["wire"]["type"]);
    default:
      return false;
  }
}

function isToolResult(block: Thing): boolean {
  if (!isFilled(block["tool_use_id"])) return false;
  if (!isMaybe(block["is_error"], (value) => typeof value === "boolean")) return false;
  return isText(block["content"]) || checkContent(block["content"], "result") === undefined;
}

function isImageSource(source: unknown): boolean {
  if (!isRecord(source)) return false;
  if (source["type"] === "base64") return isText(source["data"]) && imageTypes.includes(source["media_type"]);
  return isReference(source);
}

function isDocumentSource(source: unknown): boolean {
  if (!isRecord(source)) return false;
  if (source["type"] === "base64") return isText(source["data"]) && source["media_type"] === "application/pdf";
  if (source["type"] === "text") return isText(source["data"]) && source["media_type"] === "text/plain";
  return isReference(source);
}

function isReference(source: Thing): boolean {
  return (
    (source["type"] === "url" && isText(source["url"])) || (source["type"] === "file" && isText(source["file_id"]))
  );
}

function isFilled(value: unknown): boolean {
  return isText(value) && value !== "";
}
