/** The JSON of one message's blocks. */
import { wellFormedJson } from "../../lib/well-formed-json.ts";
import type { ContentBlock } from "../../protocol/message.ts";
import type { ApiMessage } from "../../protocol/model.ts";
import type { WrittenMessage } from "./message-bytes.ts";
import { wireBlock, withGivenId, withShortId } from "./wire-block.ts";

export function write(message: ApiMessage): WrittenMessage {
  return writeWith(message, withShortId);
}

/** A model that is not in the catalogue, or that settings alone describe, is another's, whose server gave them. */
export function writeWithGivenIds(message: ApiMessage): WrittenMessage {
  return writeWith(message, withGivenId);
}

function writeWith({ role, content }: ApiMessage, withId: (block: ContentBlock) => ContentBlock): WrittenMessage {
  const blocks = content.map((block) => wellFormedJson(wireBlock(withId(block), role)));
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
