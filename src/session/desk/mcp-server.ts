/** pawl as an MCP server: its own tools over stdio, each call under the same rules as the model's, with nobody to ask. */
import type { Readable, Writable } from "node:stream";
import { onAbort } from "../../lib/on-abort.ts";
import type { McpTransport } from "../../protocol/mcp.ts";
import type { Tool, ToolContext, ToolResult } from "../../protocol/tool.ts";
import type { Permissions } from "../../permissions/permissions.ts";
import { failureResult } from "../../tools/failure.ts";
import { surroundingsWithoutKey } from "../surroundings/read-surroundings.ts";
import { HookOccasions } from "../hooks/hook-occasions.ts";
import { openSession } from "../open-session.ts";
import type { EngineOptions } from "../options/options.ts";
import { composePermissions } from "../permissions/permission-parts.ts";
import { composeSandbox } from "../permissions/sandbox-parts.ts";
import { serve } from "../tools/sdk-mcp-server.ts";
import { createToolsPort, type ToolsView } from "../tools/tools-port.ts";
import { Validator } from "@cfworker/json-schema";
import { permissionRequestFor } from "../tools/outside-call.ts";

const maxLineChars = 16 * 1024 * 1024;
const graceMs = 1_000;

/** Resolves when `input` has ended or `signal` has aborted, and everything that a call started has ended. */
export async function serveTools(
  givenOptions: EngineOptions,
  { input, output, signal }: { input: Readable; output: Writable; signal: AbortSignal },
): Promise<void> {
  // With a tool to ask, a change would be tried before the question, which nobody gets here: its tool belongs to a server.
  const options = { ...givenOptions, ask: undefined, permissionPromptToolName: undefined };
  const around = surroundingsWithoutKey(options);
  const sandbox = await composeSandbox(options, around);
  const { store, tools } = openSession({ ...options, persistSession: false }, around, { sandbox });
  const { permissions } = composePermissions({
    options,
    around,
    store,
    tools,
    occasions: new HookOccasions(),
    sandbox,
  });
  const removed = new Set(permissions.removedTools(tools.tools.map(({ name }) => name)));
  const offered = tools.tools.filter(({ name }) => !removed.has(name));
  const view = createToolsPort(offered, () => tools.cwd.get(), Validator);
  const judged = offered.map((tool) => withPermissionRules(tool, permissions, view));
  const transport = lineTransport(input, output);
  try {
    await serve({ name: "pawl", version: around.version, tools: judged }, transport);
    await transport.ended(signal);
  } finally {
    transport.onclose?.();
    await tools.shared.background.dispose(graceMs);
    sandbox?.sandbox.dispose();
    tools.cleanUp();
  }
}

function withPermissionRules(tool: Tool, permissions: Permissions, view: ToolsView): Tool {
  return {
    ...tool,
    async call(rawInput, callerContext, onProgress): Promise<ToolResult> {
      const input = view.meant?.(tool.inputSchema, rawInput) ?? rawInput;
      const context: ToolContext = { ...callerContext, cwd: view.cwd() };
      const wrong = view.validate(tool.inputSchema, input);
      const checked = wrong.ok ? await tool.validateInput?.(input, context) : wrong;
      if (checked?.ok === false) return failureResult(checked.message);
      const decision = await permissions.decide(permissionRequestFor(tool, input, context), context.signal);
      if (decision.behavior === "deny") return failureResult(decision.message);
      return await tool.call(decision.updatedInput ?? input, { ...context, judged: decision.judged }, onProgress);
    },
  };
}

interface LineTransport extends McpTransport {
  /** Resolves when the input ends or the signal aborts. */
  ended(signal: AbortSignal): Promise<void>;
}

/** One message per line, in both directions. Invalid lines are ignored; a line that is too long ends the connection. */
function lineTransport(input: Readable, output: Writable): LineTransport {
  let buffered = "";
  const { promise, resolve } = Promise.withResolvers<void>();
  const take = (line: string): void => {
    try {
      transport.onmessage?.(JSON.parse(line) as never);
    } catch {
      // Not a message: a client gets no answer to such a line.
      return;
    }
  };
  const transport: LineTransport = {
    start() {
      input.setEncoding("utf8");
      input.on("data", (chunk: string) => {
        buffered += chunk;
        const lines = buffered.split("\n");
        buffered = lines.pop() ?? "";
        for (const line of lines) if (line.trim() !== "") take(line);
        if (buffered.length > maxLineChars) resolve();
      });
      input.once("end", resolve);
      input.once("error", () => resolve());
      output.once("error", () => resolve());
      return Promise.resolve();
    },
    send: (message) => void output.write(`${JSON.stringify(message)}\n`),
    close: () => resolve(),
    async ended(signal) {
      const stopListening = onAbort(signal, resolve);
      await promise;
      stopListening();
    },
  };
  return transport;
}
