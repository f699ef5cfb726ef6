/** Tools of the caller's own: a name, a schema and a function. */
import type { Tool, ToolContext, ToolInput, ToolInputSchema, ToolResult } from "../protocol/tool.ts";

export interface CustomToolOptions {
  /** Changes nothing: may run beside others, and is allowed where reading is. */
  readOnlyHint?: boolean;
  /** May simply be called again after a crash. Default: `safe` for read-only tools, else `never`. */
  replay?: Tool["replay"];
  /** Characters of result the model gets inline. Default 100,000. */
  maxResultSizeChars?: number;
  timeLimitMs?: number;
}

/** What a handler may return: text, or a whole result. */
export type CustomToolAnswer = string | ToolResult;

/**
 * Makes a tool from a function. The input has been checked against `inputSchema` (JSON Schema) before the handler sees it.
 * What the handler throws becomes an error result for the model.
 */
export function tool(
  name: string,
  description: string,
  inputSchema: ToolInputSchema,
  handler: (input: ToolInput, context: ToolContext) => Promise<CustomToolAnswer>,
  options: CustomToolOptions = {},
): Tool {
  const isReadOnly = options.readOnlyHint === true;
  const { timeLimitMs } = options;
  return {
    name,
    description,
    inputSchema,
    isConcurrencySafe: () => isReadOnly,
    isReadOnly: () => isReadOnly,
    replay: options.replay ?? (isReadOnly ? "safe" : "never"),
    maxResultSizeChars: options.maxResultSizeChars ?? 100_000,
    ...(timeLimitMs === undefined ? {} : { timeLimitMs: () => timeLimitMs }),
    async call(input, context) {
      const answer = await handler(input, context);
      return typeof answer === "string" ? { content: answer } : answer;
    },
  };
}
