/**
 * A block as it is sent. What people and tools gave goes with the fields that the API takes, and no others: it may hold marks for
 * the cache, of which a request may have four with the conversation's own, and notes of another protocol. One field too many is
 * refused with the whole request, and with each that follows. What the model said goes back as it came.
 */
import { givenCallId, shortCallId, strictCallId } from "../../lib/call-id.ts";
import type { ContentBlock } from "../../protocol/message.ts";
import type { ApiMessage } from "../../protocol/model.ts";

const sourceFields = new Set(["type", "media_type", "data", "url", "file_id"]);
const bareCall = new Set(["type", "id", "name", "input"]);
const fields = {
  text: new Set(["type", "text", "citations"]),
  tool_result: new Set(["type", "tool_use_id", "content", "is_error"]),
  image: new Set(["type", "source"]),
  document: new Set(["type", "source", "title", "context", "citations"]),
};

export function wireBlock(block: ContentBlock, role: ApiMessage["role"]): object {
  if (block.type === "opaque") return block.wire;
  if (role === "assistant") return block;
  switch (block.type) {
    case "text":
      return only(block, fields.text);
    case "tool_result": {
      const result = only(block, fields.tool_result);
      const { content } = block;
      return typeof content === "string"
        ? result
        : { ...result, content: content.map((each) => wireBlock(each, role)) };
    }
    case "image":
    case "document":
      return { ...only(block, fields[block.type]), source: only(block.source, sourceFields) };
    case "thinking":
    case "redacted_thinking":
    case "tool_use":
      return block;
    default:
      return block satisfies never;
  }
}

/** A call or its result under the id that the call's server gave it. */
export function withGivenId(block: ContentBlock): ContentBlock {
  return withId(block, givenCallId);
}

/** The same for servers that did not give it. */
export function withShortId(block: ContentBlock): ContentBlock {
  return withId(block, shortCallId);
}

/** The same for those that have refused one. */
export function withStrictId(block: ContentBlock): ContentBlock {
  return withId(block, strictCallId);
}

function withId(block: ContentBlock, idFor: (id: string) => string): ContentBlock {
  if (block.type === "tool_use") {
    const id = idFor(block.id);
    return id === block.id ? block : { ...block, id };
  }
  if (block.type !== "tool_result") return block;
  const id = idFor(block.tool_use_id);
  return id === block.tool_use_id ? block : { ...block, tool_use_id: id };
}

/** A call without what its server gave it beside. */
export function withoutExtras(block: ContentBlock): ContentBlock {
  return block.type === "tool_use" ? (only(block, bareCall) as ContentBlock) : block;
}

/** In the order they were given; the same object where all of it is sent. */
function only(given: object, known: ReadonlySet<string>): object {
  for (const field in given)
    if (!known.has(field)) return Object.fromEntries(Object.entries(given).filter(([name]) => known.has(name)));
  return given;
}
