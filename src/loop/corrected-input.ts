/** Corrects the input of a call if it is obvious what was meant. The conversation keeps what the model wrote. */
import type { ToolUseBlock } from "../protocol/message.ts";
import type { ToolsPort } from "./ports.ts";

/** Returns the same block if its input fits, or if its meaning is unclear: it is then refused when it would run. */
export function withCorrectedInput(block: ToolUseBlock, tools: ToolsPort): ToolUseBlock {
  if (tools.meant === undefined) return block;
  try {
    const tool = tools.find(block.name);
    const input = tool === undefined ? undefined : tools.meant(tool.inputSchema, block.input);
    return input === undefined || input === block.input ? block : { ...block, input };
  } catch {
    return block;
  }
}
