/** One line of `--input-format stream-json`, judged: a prompt, something to answer, something to pass over, or a mistake. */
import type { ContentBlock } from "../../protocol/message.ts";

export interface Prompt {
  content: string | ContentBlock[];
  uuid?: string;
  isMeta?: boolean;
  /** Why it cannot be asked. Its sender waits for a result all the same. */
  problem?: string;
}

export type InputLine =
  | { kind: "prompt"; prompt: Prompt }
  | { kind: "control"; requestId: string; subtype: string }
  | { kind: "nothing" }
  | { kind: "unknown"; type: string }
  | { kind: "bad"; reason: string };

type Loose = Record<string, unknown>;

function isRecord(value: unknown): value is Loose {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function parseInputLine(text: string): InputLine {
  const trimmed = text.replace(/^\ufeff/u, "").trim();
  if (trimmed === "") return { kind: "nothing" };
  let value: unknown;
  try {
    value = JSON.parse(trimmed);
  } catch (error) {
    return bad(`it is not JSON (${error instanceof Error ? error.message : "unreadable"})`);
  }
  if (!isRecord(value) || typeof value["type"] !== "string") return bad('it is not an object with a "type"');
  switch (value["type"]) {
    case "user":
      return parseUser(value);
    case "control_request":
      return parseControl(value);
    // Answers to requests this version never makes, and signs of life.
    case "control_response":
    case "control_cancel_request":
    case "keep_alive":
      return { kind: "nothing" };
    default:
      return { kind: "unknown", type: value["type"] };
  }
}

function bad(reason: string): InputLine {
  return { kind: "bad", reason };
}

function parseControl(value: Loose): InputLine {
  const { request_id: requestId, request } = value;
  if (typeof requestId !== "string") return bad("a control_request needs a request_id");
  const subtype = isRecord(request) && typeof request["subtype"] === "string" ? request["subtype"] : "unknown";
  return { kind: "control", requestId, subtype };
}

function parseUser(value: Loose): InputLine {
  const { message, uuid, isSynthetic } = value;
  const content =
    isRecord(message) && message["role"] === "user"
      ? contentOf(message["content"])
      : { reason: 'a user message needs "message" with the role "user"' };
  return {
    kind: "prompt",
    prompt: {
      ...("content" in content ? { content: content.content } : { content: "", problem: content.reason }),
      ...(typeof uuid === "string" && uuid !== "" ? { uuid } : {}),
      ...(isSynthetic === true ? { isMeta: true } : {}),
    },
  };
}

type Content = { content: string | ContentBlock[] } | { reason: string };

function contentOf(value: unknown): Content {
  if (typeof value === "string") return value.trim() === "" ? { reason: "its content is empty" } : { content: value };
  if (!Array.isArray(value) || value.length === 0)
    return { reason: "its content is neither text nor a list of blocks" };
  const blocks: ContentBlock[] = [];
  for (const [index, item] of value.entries()) {
    const block = isRecord(item) ? blockOf(item) : undefined;
    if (block === undefined) return { reason: `block ${index} of its content is no text, image or document` };
    blocks.push(block);
  }
  return { content: blocks };
}

/** Rebuilt from the fields we know: a client's own cache marks would come on top of the loop's four. */
function blockOf(item: Loose): ContentBlock | undefined {
  const { type, text, source, title, context } = item;
  if (type === "text") return typeof text === "string" && text !== "" ? { type, text } : undefined;
  if ((type !== "image" && type !== "document") || !isRecord(source) || typeof source["type"] !== "string")
    return undefined;
  return {
    type,
    source,
    ...(typeof title === "string" ? { title } : {}),
    ...(typeof context === "string" ? { context } : {}),
  } as ContentBlock;
}
