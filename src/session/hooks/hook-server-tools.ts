/** Calls tools of MCP servers for hooks that name such a tool: any tool the session has, whether or not the model is offered it. */
import type { CallServerTool } from "../../hooks/mcp-hook.ts";
import { blockText } from "../../protocol/block-text.ts";
import type { Tool } from "../../protocol/tool.ts";
import { outsideContext } from "../tools/outside-call.ts";

export interface ServerToolPlaces {
  find: (name: string) => Tool | undefined;
  sessionId: string;
  cwd: () => string;
}

export function createServerToolCaller({ find, sessionId, cwd }: ServerToolPlaces): CallServerTool {
  let count = 0;
  return async ({ server, tool: toolName, input }, signal) => {
    const { serverKey } = await import("../../mcp/names.ts");
    const tool = find(`mcp__${serverKey(server)}__${toolName}`);
    if (tool === undefined)
      throw new Error(`there is no tool ${toolName} of an MCP server ${server}, or the server is not connected`);
    count += 1;
    const key = `hook.tool.${count}`;
    const context = outsideContext({ sessionId, key, signal, cwd: cwd() });
    const { content, isError } = await tool.call(input, context, () => undefined);
    const text = blockText(content, "\n");
    if (isError === true) throw new Error(`${toolName} of ${server} failed: ${text.slice(0, 500)}`);
    return text;
  };
}
