/** The JSON of one message's blocks. */
import { originalCallId, shortCallId, strictCallId } from "../../lib/call-id.ts";
import { wellFormedJson } from "../../lib/well-formed-json.ts";
import type { ContentBlock } from "../../protocol/message.ts";
import type { ApiMessage } from "../../protocol/model.ts";
import { isSigned } from "../../protocol/thinking.ts";
import type { WrittenMessage } from "./message-bytes.ts";
import type { LeftOutFields } from "./unknown-fields.ts";
import { wireBlock, withCallId, withoutExtras } from "./wire-block.ts";

export type Writer = (message: ApiMessage) => WrittenMessage;

type BlockTransform = (block: ContentBlock) => ContentBlock;
type WriterKind = "whole" | "bare" | "unthinking" | "bareUnthinking";

/** `bare`: tool calls are sent without extra fields. `unthinking`: thinking that a model has signed is not sent. */
const createWriters = (idFor: (id: string) => string): Record<WriterKind, Writer> => {
  const withId: BlockTransform = (block) => withCallId(block, idFor);
  const whole: Writer = (message) => write(message, withId);
  const bare: Writer = (message) => write(message, (block) => withoutExtras(withId(block)));
  const unthinking: Writer = (message) => whole(withoutThinking(message));
  return { whole, bare, unthinking, bareUnthinking: (message) => bare(withoutThinking(message)) };
};
const plainWriters = createWriters(shortCallId);
/** For the server that gave the ids. */
const foreignWriters = createWriters(originalCallId);
/** For servers that have refused an id. */
const strictWriters = createWriters(strictCallId);

/**
 * @param isForeignModel the model is not in the catalogue, or is described only by settings: its server gave the call ids.
 * @param isUnthinking the request does not think: the API then refuses thinking in its last answer.
 */
export function writerFor(isForeignModel: boolean, leftOut: LeftOutFields, isUnthinking: boolean): Writer {
  const kinds = leftOut.has("tool_use.id") ? strictWriters : isForeignModel ? foreignWriters : plainWriters;
  if (leftOut.has("tool_use")) return isUnthinking ? kinds.bareUnthinking : kinds.bare;
  return isUnthinking ? kinds.unthinking : kinds.whole;
}

function withoutThinking(message: ApiMessage): ApiMessage {
  if (message.role !== "assistant" || !message.content.some(isSigned)) return message;
  const content = message.content.filter((block) => !isSigned(block));
  // No message may be empty.
  return content.length === 0 ? message : { role: message.role, content };
}

function write({ role, content }: ApiMessage, transform: BlockTransform): WrittenMessage {
  const blocks = content.map((block) => wellFormedJson(wireBlock(transform(block), role)));
  return { role, blocks, markable: content.findLastIndex(isCacheable) };
}

function isCacheable(block: ContentBlock): boolean {
  switch (block.type) {
    case "text":
      return block.text !== "";
    case "thinking":
    case "redacted_thinking":
      return false;
    case "opaque":
      return (
        !("cache_control" in block.wire) &&
        /tool_result$|^(?:search_result|compaction)$/.test(String(block.wire["type"]))
      );
    case "tool_use":
    case "tool_result":
    case "image":
    case "document":
      return true;
  }
}
