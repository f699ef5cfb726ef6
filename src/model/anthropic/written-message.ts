/** The JSON of one message's blocks. */
import { wellFormedJson } from "../../lib/well-formed-json.ts";
import type { ContentBlock } from "../../protocol/message.ts";
import type { ApiMessage } from "../../protocol/model.ts";
import type { WrittenMessage } from "./message-bytes.ts";
import type { LeftOut } from "./unknown-fields.ts";
import { wireBlock, withGivenId, withoutExtras, withShortId, withStrictId } from "./wire-block.ts";

export type Writer = (message: ApiMessage) => WrittenMessage;

type AsSent = (block: ContentBlock) => ContentBlock;

/** `bare`: calls go without what servers gave them beside. */
const writing = (withId: AsSent): Record<"whole" | "bare", Writer> => ({
  whole: (message) => write(message, withId),
  bare: (message) => write(message, (block) => withoutExtras(withId(block))),
});
const [plain, ofOthers, strict] = [writing(withShortId), writing(withGivenId), writing(withStrictId)];

/** @param isOthers a model that is not in the catalogue, or that settings alone describe: its server gave the ids of calls. */
export function writerFor(isOthers: boolean, leftOut: LeftOut): Writer {
  const { whole, bare } = leftOut.has("tool_use.id") ? strict : isOthers ? ofOthers : plain;
  return leftOut.has("tool_use") ? bare : whole;
}

function write({ role, content }: ApiMessage, asSent: AsSent): WrittenMessage {
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
