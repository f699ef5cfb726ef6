/** What a batch must know of a call's tool, asked once. */
import type { ToolsPort } from "./ports.ts";
import type { CallRequest } from "./tool-scope.ts";

export interface CallTraits {
  safe: boolean;
  /** A submit-interrupt waits for it. */
  outlastsInterrupt: boolean;
  /** Its failure ends its running siblings. */
  cancelsSiblings: boolean;
  maxChars: number;
}

const unknown: CallTraits = { safe: true, outlastsInterrupt: false, cancelsSiblings: false, maxChars: 50_000 };

/** A call that cannot run blocks nobody; one that cannot be judged runs alone. */
export function traitsOf({ block, invalidInput }: CallRequest, tools: ToolsPort): CallTraits {
  try {
    const tool = invalidInput === undefined ? tools.find(block.name) : undefined;
    if (tool === undefined) return unknown;
    return {
      safe: !tools.validate(tool.inputSchema, block.input).ok || tool.isConcurrencySafe(block.input),
      outlastsInterrupt: tool.interruptBehavior === "block",
      cancelsSiblings: tool.failureCancelsSiblings === true,
      maxChars: tool.maxResultSizeChars,
    };
  } catch {
    return { ...unknown, safe: false };
  }
}
