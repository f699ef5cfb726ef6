/** Lines in the debug log for each tool call: if a session stands still, the last line says what it is waiting for. */
import type { Tool, ToolResult } from "../../protocol/tool.ts";

/** Adds a line when the call begins and one when it ends. They hold nothing of the conversation. */
export function withDebugLines(tool: Tool, debug: (line: string) => void, elapsed: () => number): Tool {
  return {
    ...tool,
    async call(input, context, onProgress) {
      const from = elapsed();
      const reportEnd = (how: string): void =>
        debug(`${context.key}: ${tool.name} ${how} after ${Math.round(elapsed() - from)} ms`);
      debug(`${context.key}: ${tool.name} began`);
      try {
        const result = await tool.call(input, context, onProgress);
        // A third-party tool may return anything.
        reportEnd((result as ToolResult | undefined)?.isError === true ? "failed" : "ended");
        return result;
      } catch (error) {
        reportEnd("threw");
        throw error;
      }
    },
  };
}
