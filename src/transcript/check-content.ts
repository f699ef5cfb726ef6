/** Checks whether parsed JSON is the content of a user or assistant message. Returns what is wrong, or undefined. */
import { isAbsentOr, isString, type UnknownRecord } from "./predicates.ts";
import { isRecord } from "../lib/is-record.ts";

type Role = "user" | "assistant" | "result";

const allowedBlocks: Record<Role, ReadonlySet<string>> = {
  user: new Set(["text", "image", "document", "tool_result", "opaque"]),
  assistant: new Set(["text", "thinking", "redacted_thinking", "tool_use", "opaque"]),
  result: new Set(["text", "image", "document"]),
};
const imageTypes: unknown[] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

export function checkContent(content: unknown, role: Role): string | undefined {
  if (!Array.isArray(content)) return "content";
  for (const block of content) {
    if (!isRecord(block) || !isString(block["type"])) return "a malformed block";
    if (!allowedBlocks[role].has(block["type"])) return `a ${block["type"].slice(0, 40)} block in ${role} content`;
    if (!isBlock(block)) return `a ${block["type"]} block with a missing or malformed field`;
  }
  return undefined;
}

function isBlock(block: UnknownRecord): boolean {
  switch (block["type"]) {
    case "text":
      return isString(block["text"]) && isAbsentOr(block["citations"], Array.isArray);
    case "thinking":
      return isString(block["thinking"]) && isAbsentOr(block["signature"], isString);
    case "redacted_thinking":
      return isString(block["data"]);
    case "tool_use":
      return isNonEmptyString(block["id"]) && isNonEmptyString(block["name"]) && isRecord(block["input"]);
    case "tool_result":
      return isToolResult(block);
    case "image":
      return isImageSource(block["source"]);
    case "document":
      return (
        isDocumentSource(block["source"]) &&
        isAbsentOr(block["title"], isString) &&
        isAbsentOr(block["context"], isString)
      );
    case "opaque":
      return isRecord(block["wire"]) && isString(block["wire"]["type"]);
    default:
      return false;
  }
}

function isToolResult(block: UnknownRecord): boolean {
  if (!isNonEmptyString(block["tool_use_id"])) return false;
  if (!isAbsentOr(block["is_error"], (value) => typeof value === "boolean")) return false;
  return isString(block["content"]) || checkContent(block["content"], "result") === undefined;
}

function isImageSource(source: unknown): boolean {
  if (!isRecord(source)) return false;
  if (source["type"] === "base64") return isString(source["data"]) && imageTypes.includes(source["media_type"]);
  return isReference(source);
}

function isDocumentSource(source: unknown): boolean {
  if (!isRecord(source)) return false;
  if (source["type"] === "base64") return isString(source["data"]) && source["media_type"] === "application/pdf";
  if (source["type"] === "text") return isString(source["data"]) && source["media_type"] === "text/plain";
  return isReference(source);
}

function isReference(source: UnknownRecord): boolean {
  return (
    (source["type"] === "url" && isString(source["url"])) || (source["type"] === "file" && isString(source["file_id"]))
  );
}

function isNonEmptyString(value: unknown): boolean {
  return isString(value) && value !== "";
}
