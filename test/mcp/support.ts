// Sessions with real servers: each is a process of its own, or HTTP on this machine.
import { join } from "node:path";
import type { EngineOptions } from "../../src/index.ts";
import type { McpStdioServerConfig } from "../../src/protocol/mcp.ts";
import type { Reply, RequestView, Script, ScriptedModel } from "../../src/testing/index.ts";
import { calls } from "../session/support.ts";
import { compileCacheVariables } from "../support/compile-cache.ts";

const script = join(import.meta.dirname, "server.ts");

/** A test server that behaves as told; see `server.ts`. */
export function serverOf(behaviour: Record<string, unknown> = {}): McpStdioServerConfig {
  return {
    type: "stdio",
    command: process.execPath,
    args: [script, JSON.stringify(behaviour)],
    env: compileCacheVariables(),
  };
}

/** The options of a session with this server, called `test`, whose tools may be used. */
export function withServer(behaviour: Record<string, unknown>, more: EngineOptions = {}): EngineOptions {
  return { mcpServers: { test: serverOf(behaviour) }, allowedTools: ["mcp__test"], ...more };
}

/** Calls the tools one after another, a reply each, and then says what the last one answered. */
export function calling(...steps: { tool: string; input?: Record<string, string | number | boolean> }[]): Script {
  return {
    fallback: (view: RequestView): Reply => {
      const step = steps[view.toolResults.length];
      const last = view.toolResults.at(-1);
      if (step === undefined) return { content: [`It said: ${last?.text ?? ""}`] };
      return { content: [{ tool: step.tool, input: step.input ?? {} }] };
    },
  };
}

export function toolNamed(name: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { name, description: `The tool ${name}`, inputSchema: { type: "object" }, ...more };
}

/** The tools of the last request, as they were sent. */
export function offered(model: ScriptedModel): { name: string; description?: string }[] {
  return (calls(model).at(-1)?.body?.tools ?? []) as { name: string }[];
}
