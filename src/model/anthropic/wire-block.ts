/**
 * A block as it is sent. Blocks from people and tools are reduced to the fields that the API accepts: they may hold cache marks, of
 * which a request may have four including the conversation's own, or fields of another protocol. For one extra field the API
 * refuses the whole request, and each that follows. The model's own blocks go back as they came.
 */
import type { ContentBlock } from "../../protocol/message.ts";
import type { ApiMessage } from "../../protocol/model.ts";

const sourceFields = new Set(["type", "media_type", "data", "url", "file_id"]);
const bareCallFields = new Set(["type", "id", "name", "input"]);
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
      return pickFields(block, fields.text);
    case "tool_result": {
      const result = pickFields(block, fields.tool_result);
      const { content } = block;
      return typeof content === "string"
        ? result
        : { ...result, content: content.map((each) => wireBlock(each, role)) };
    }
    case "image":
    case "document":
      return { ...pickFields(block, fields[block.type]), source: pickFields(block.source, sourceFields) };
    case "thinking":
    case "redacted_thinking":
    case "tool_use":
      return block;
    default:
      return block satisfies never;
  }
}

/** Changes the id of a tool call or of a tool result. */
export function withCallId(block: ContentBlock, idFor: (id: string) => string): ContentBlock {
  if (block.type === "tool_use") {
    const id = idFor(block.id);
    return id === block.id ? block : { ...block, id };
  }
  if (block.type !== "tool_result") return block;
  const id = idFor(block.tool_use_id);
  return id === block.tool_use_id ? block : { ...block, tool_use_id: id };
}

/** A tool call without the extra fields that its server added. */
export function withoutExtras(block: ContentBlock): ContentBlock {
  return block.type === "tool_use" ? (pickFields(block, bareCallFields) as ContentBlock) : block;
}

/** The known fields in their given order; the same object if all of its fields are known. */
function pickFields(source: object, known: ReadonlySet<string>): object {
  for (const field in source)
    if (!known.has(field)) return Object.fromEntries(Object.entries(source).filter(([name]) => known.has(name)));
  return source;
}
