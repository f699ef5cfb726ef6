/** Parses one line of `--input-format stream-json`: a prompt, a request or reply of the client, something to ignore, or a mistake. */
import { errorText } from "../../lib/error-text.ts";
import type { ContentBlock } from "../../protocol/message.ts";
import type { SDKMessageOrigin } from "../../protocol/sdk-origin.ts";
import { isRecord } from "../../lib/is-record.ts";
import { withPasted } from "../../session/query/pasted.ts";

/** A JSON object of unknown shape. */
export type WireObject = Record<string, unknown>;

export interface Prompt {
  content: string | ContentBlock[];
  uuid?: string;
  isMeta?: boolean;
  /** Text from others: it starts no command and names no files. */
  isVerbatim?: true;
  /** `now` ends the running turn, `next` joins it at its next step; otherwise the prompt waits for its own turn. */
  priority?: "now" | "next" | "later";
  /** The prompt is added to the conversation without a turn. */
  isAppended?: true;
  /** Who wrote the prompt, if known. */
  origin?: SDKMessageOrigin;
  /** Why the prompt cannot be used. Its sender still waits for a result. */
  problem?: string;
}

export type Reply = { ok: true; value: WireObject } | { ok: false; error: string };

export type Frame =
  | { kind: "prompt"; prompt: Prompt }
  | { kind: "request"; requestId: string; subtype: string; fields: WireObject }
  /** A request that can only be answered with an error. */
  | { kind: "badRequest"; requestId: string; reason: string }
  | { kind: "reply"; requestId: string; reply: Reply }
  | { kind: "cancel"; requestId: string }
  | { kind: "nothing" }
  | { kind: "unknown"; type: string }
  | { kind: "bad"; reason: string };

const notUtf8Reason = "it is not UTF-8";
/** In characters. Limited because ids are remembered. */
const maxIdLength = 1_000;

export function parseFrame(text: string, isDamaged: boolean): Frame {
  const trimmed = text.replace(/^\ufeff/u, "").trim();
  if (trimmed === "") return { kind: "nothing" };
  let value: unknown;
  try {
    value = JSON.parse(trimmed);
  } catch (error) {
    return badFrame(isDamaged ? notUtf8Reason : `it is not JSON (${errorText(error)})`);
  }
  if (!isRecord(value) || typeof value["type"] !== "string") return badFrame('it is not an object with a "type"');
  return isDamaged ? refusalFrame(value, notUtf8Reason) : frameFromObject(value, value["type"]);
}

function frameFromObject(value: WireObject, type: string): Frame {
  switch (type) {
    case "user":
      return parseUser(value);
    case "control_request":
      return parseRequest(value);
    case "control_response":
      return parseReply(value);
    case "control_cancel_request":
      return typeof value["request_id"] === "string"
        ? { kind: "cancel", requestId: value["request_id"] }
        : badFrame("a control_cancel_request needs a request_id");
    case "keep_alive":
      return { kind: "nothing" };
    default:
      return { kind: "unknown", type };
  }
}

function badFrame(reason: string): Frame {
  return { kind: "bad", reason };
}

/** Returns the frame of a line that was too long to read. Its type is known if it comes first, which is what clients write. */
export function skippedFrame(beginning: string, reason: string): Frame {
  const type = /^\s*\{\s*"type"\s*:\s*"(\w+)"/u.exec(beginning)?.[1];
  const requestId = /"request_id"\s*:\s*"([^"\\]+)"/u.exec(beginning)?.[1];
  // The answer will not be sent again, so the request it answers fails.
  if (type === "control_response" && requestId !== undefined)
    return { kind: "reply", requestId, reply: { ok: false, error: `the client's answer was not used: ${reason}` } };
  return refusalFrame({ type, request_id: requestId }, reason);
}

/** Returns a frame that makes the sender get an error, if it waits for an answer. */
function refusalFrame(value: WireObject, reason: string): Frame {
  if (value["type"] === "user") return { kind: "prompt", prompt: { content: "", problem: reason } };
  const { request_id: requestId } = value;
  return value["type"] === "control_request" && typeof requestId === "string" && requestId.length <= maxIdLength
    ? { kind: "badRequest", requestId, reason }
    : badFrame(reason);
}

function parseRequest(value: WireObject): Frame {
  const { request_id: requestId, request } = value;
  if (typeof requestId !== "string" || requestId === "" || requestId.length > maxIdLength)
    return badFrame(`a control_request needs a request_id of at most ${maxIdLength} characters`);
  if (!isRecord(request) || typeof request["subtype"] !== "string")
    return { kind: "badRequest", requestId, reason: 'a control_request needs "request" with a "subtype"' };
  const { subtype, ...fields } = request;
  return { kind: "request", requestId, subtype, fields };
}

function parseReply({ response }: WireObject): Frame {
  if (!isRecord(response) || typeof response["request_id"] !== "string")
    return badFrame('a control_response needs "response" with a request_id');
  const { request_id: requestId, subtype, error, response: inner } = response;
  if (subtype === "success" && (isRecord(inner) || inner === undefined || inner === null))
    return { kind: "reply", requestId, reply: { ok: true, value: inner ?? {} } };
  if (subtype === "success")
    return { kind: "reply", requestId, reply: { ok: false, error: "the client's response is not an object" } };
  const text = typeof error === "string" && error !== "" ? error : "the client answered with an error";
  return { kind: "reply", requestId, reply: { ok: false, error: text } };
}

const priorities = ["now", "next", "later"] as const;

function parseUser(value: WireObject): Frame {
  const { message, uuid, isSynthetic, shouldQuery, client_composed: isComposed, origin } = value;
  const content =
    isRecord(message) && message["role"] === "user"
      ? parseContent(withPasted(message["content"], value["pasted_content"]))
      : { reason: 'a user message needs "message" with the role "user"' };
  const priority = priorities.find((each) => each === value["priority"]);
  return {
    kind: "prompt",
    prompt: {
      ...("content" in content ? { content: content.content } : { content: "", problem: content.reason }),
      ...(typeof uuid === "string" && uuid !== "" ? { uuid } : {}),
      ...(isSynthetic === true ? { isMeta: true } : {}),
      ...(isComposed === true ? { isVerbatim: true } : {}),
      ...(isRecord(origin) && origin["kind"] === "human" ? { origin: { kind: origin["kind"] } } : {}),
      ...(priority === undefined ? {} : { priority }),
      ...(shouldQuery === false ? { isAppended: true } : {}),
    },
  };
}

type Content = { content: string | ContentBlock[] } | { reason: string };

function parseContent(value: unknown): Content {
  if (typeof value === "string") return value.trim() === "" ? { reason: "its content is empty" } : { content: value };
  if (!Array.isArray(value)) return { reason: "its content is neither text nor a list of blocks" };
  const blocks: ContentBlock[] = [];
  for (const [index, item] of value.entries()) {
    const block = isRecord(item) ? parseBlock(item) : undefined;
    if (block === undefined) return { reason: `block ${index} of its content is not a text, image or document` };
    blocks.push(block);
  }
  const isEmpty = blocks.every((block) => block.type === "text" && block.text.trim() === "");
  return isEmpty ? { reason: "its content is empty" } : { content: blocks };
}

/** Rebuilds the block from known fields: a client's cache marks would be added to the loop's own four. */
function parseBlock(item: WireObject): ContentBlock | undefined {
  const { type, text, source, title, context } = item;
  if (type === "text") return typeof text === "string" ? { type, text } : undefined;
  if ((type !== "image" && type !== "document") || !isRecord(source) || typeof source["type"] !== "string")
    return undefined;
  return {
    type,
    source,
    ...(typeof title === "string" ? { title } : {}),
    ...(typeof context === "string" ? { context } : {}),
  } as ContentBlock;
}

/** Returns the message for a line that was not used. */
export function unusedLineMessage(reason: string, line: number): string {
  return `line ${line} of standard input was not used: ${reason}`;
}

export function withLineNumber(prompt: Prompt, line: number): Prompt {
  return prompt.problem === undefined ? prompt : { ...prompt, problem: unusedLineMessage(prompt.problem, line) };
}
