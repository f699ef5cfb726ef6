/** The JSON of one message's blocks. */
import { wellFormedJson } from "../../lib/well-formed-json.ts";
import type { ContentBlock } from "../../protocol/message.ts";
import type { ApiMessage } from "../../protocol/model.ts";
import type { WrittenMessage } from "./message-bytes.ts";
import { wireBlock, withGivenId, withoutExtras, withShortId } from "./wire-block.ts";

export type Writer = (message: ApiMessage) => WrittenMessage;

const plain: Writer = (message) => write(message, withShortId);
const ofOthers: Writer = (message) => write(message, withGivenId);
const bare: Writer = (message) => write(message, (block) => withoutExtras(withShortId(block)));
const bareOfOthers: Writer = (message) => write(message, (block) => withoutExtras(withGivenId(block)));

/**
 * @param isOthers a model that is not in the catalogue, or that settings alone describe: its server gave the ids of calls.
 * @param isBare calls go without what servers gave them beside.
 */
export function writerFor(isOthers: boolean, isBare: boolean): Writer {
  if (isBare) return isOthers ? bareOfOthers : bare;
  return isOthers ? ofOthers : plain;
}

function write({ role, content }: ApiMessage, asSent: (block: ContentBlock) => ContentBlock): WrittenMessage {
  const blocks = content.map((block) => wellFormedJson(wireBlock(asSent(block), role)));
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
