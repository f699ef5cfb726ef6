/** What a batch must know about a call's tool, looked up once. */
import type { ToolsPort } from "./ports.ts";
import type { CallRequest } from "./tool-scope.ts";

export interface CallTraits {
  isParallelSafe: boolean;
  /** An interrupt by a new message waits for this call. */
  outlastsInterrupt: boolean;
  /** A failure of this call ends its running siblings. */
  cancelsSiblings: boolean;
  maxChars: number;
}

const unknownToolTraits: CallTraits = {
  isParallelSafe: true,
  outlastsInterrupt: false,
  cancelsSiblings: false,
  maxChars: 50_000,
};

/** A call that cannot run blocks no other call; a call that cannot be judged runs alone. */
export function traitsOf({ block, invalidInput }: CallRequest, tools: ToolsPort): CallTraits {
  try {
    const tool = invalidInput === undefined ? tools.find(block.name) : undefined;
    if (tool === undefined) return unknownToolTraits;
    return {
      isParallelSafe: !tools.validate(tool.inputSchema, block.input).ok || tool.isConcurrencySafe(block.input),
      outlastsInterrupt: tool.interruptBehavior === "block",
      cancelsSiblings: tool.failureCancelsSiblings === true,
      maxChars: tool.maxResultSizeChars,
    };
  } catch {
    return { ...unknownToolTraits, isParallelSafe: false };
  }
}
