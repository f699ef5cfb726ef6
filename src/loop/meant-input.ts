/** The input of a call as its tool takes it, where it was plainly meant so. What the model said stays in the conversation as it was said. */
import type { ToolUseBlock } from "../protocol/message.ts";
import type { ToolsPort } from "./ports.ts";

/** The same block where its input fits, or cannot be told what it means: then it is refused where it would run. */
export function asMeant(block: ToolUseBlock, tools: ToolsPort): ToolUseBlock {
  if (tools.meant === undefined) return block;
  try {
    const tool = tools.find(block.name);
    const input = tool === undefined ? undefined : tools.meant(tool.inputSchema, block.input);
    return input === undefined || input === block.input ? block : { ...block, input };
  } catch {
    return block;
  }
}
