/** Names the call behind an image or document that the API refuses and that no context layer removed. */
import { sanitize } from "../lib/sanitize.ts";
import { answerBlocks, lastAnswer } from "../protocol/answers.ts";
import type { ContentBlock, Message, ToolUseBlock } from "../protocol/message.ts";
import type { Failure } from "../protocol/stop.ts";

/** Adds the file or tool name to the failure's message: the API only gives a position in the request, which means nothing to people. */
export function withMediaFileNames(failure: Failure, messages: readonly Message[]): Failure {
  const withMedia = new Set(mediaResultIds(messages));
  const names = callsOfLastResponse(messages).flatMap(({ id, name, input }) => {
    const file = input["file_path"];
    return withMedia.has(id) ? [typeof file === "string" ? sanitize(file) : name] : [];
  });
  if (names.length === 0) return failure;
  return { ...failure, message: `${failure.message} It came with ${names.join(" or ")}.` };
}

function callsOfLastResponse(messages: readonly Message[]): ToolUseBlock[] {
  const last = lastAnswer(messages);
  if (last === undefined) return [];
  return answerBlocks(messages, last.messageId).filter((block) => block.type === "tool_use");
}

function mediaResultIds(messages: readonly Message[]): string[] {
  const blocks = messages.flatMap((message): readonly ContentBlock[] =>
    message.type === "user" ? message.content : [],
  );
  return blocks.flatMap((block) => {
    if (block.type !== "tool_result" || typeof block.content === "string") return [];
    return block.content.some(({ type }) => type === "image" || type === "document") ? [block.tool_use_id] : [];
  });
}
