/** A call of the model as it goes into the conversation. */
import { sendableCallId } from "../lib/call-id.ts";
import { isRecord } from "../lib/is-record.ts";
import type { ToolUseBlock } from "../protocol/message.ts";
import type { Run } from "./run.ts";

const toolName = /^[a-zA-Z0-9_-]{1,64}$/;

/** An id used before, and an id, name or input the API would not take back, is replaced before anything depends on it. */
export function ownCall(
  run: Run,
  block: ToolUseBlock,
  event: { invalidInput?: string },
): { block: ToolUseBlock; invalidInput?: string } {
  const sendable = sendableCallId(block.id);
  const isFresh = block.id !== "" && !run.callIds.has(sendable);
  const id = isFresh ? sendable : `toolu_${run.ports.ids.uuid().replaceAll("-", "")}`;
  run.callIds.add(id);
  const name = toolName.test(block.name)
    ? block.name
    : block.name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unnamed";
  const isObject = isRecord(block.input);
  const invalidInput = event.invalidInput ?? (isObject ? undefined : JSON.stringify(block.input));
  const own =
    id === block.id && name === block.name && isObject
      ? block
      : { ...block, id, name, input: isObject ? block.input : {} };
  return invalidInput === undefined ? { block: own } : { block: own, invalidInput };
}
