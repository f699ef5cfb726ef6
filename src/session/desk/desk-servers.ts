/** MCP requests by the host, beside the model: calls a tool under the session's rules and hooks, and reads a server's pages. */
import { errorText } from "../../lib/error-text.ts";
import { SessionError } from "../../lib/session-error.ts";
import type { McpHub } from "../../mcp/hub.ts";
import type { HookDecision } from "../../protocol/permission.ts";
import type { Tool, ToolContext, ToolInput, ToolResult } from "../../protocol/tool.ts";
import type { SDKMcpCallResult, SDKMcpResource } from "../../protocol/sdk-control.ts";
import type { Joined } from "../joined.ts";
import { requireOpen } from "../session-errors.ts";
import { hostContext, permissionRequestFor } from "../tools/outside-call.ts";

export interface McpCall {
  /** `mcp__server__tool` */
  tool: string;
  input: ToolInput;
  signal: AbortSignal;
}

const refusalPrefix = "The tool did not run: ";
const readMs = 60_000;

/** Throws `SessionError` if the tool does not run: it does not exist, is refused, or its input is invalid. */
export async function callServerTool(
  joined: Joined,
  { tool: name, input, signal }: McpCall,
): Promise<SDKMcpCallResult> {
  await requireOpen(joined).mcp.desk?.ready(signal);
  const tool = name.startsWith("mcp__") ? joined.ports.tools.find(name) : undefined;
  if (tool === undefined)
    throw new SessionError("no_such_server", `No connected MCP server has a tool ${name.slice(0, 120)}.`);
  const context = hostContext(joined, "host", signal);
  const checked = validateHookedInput(joined, tool, await runPreToolHooks(joined, tool, input, context));
  const allowed = await decidePermission(joined, tool, checked, context);
  const { content, isError, output } = await tool.call(allowed, context, () => undefined);
  await runPostToolHooks(joined, tool, allowed, { content, ...(isError === true ? { isError } : {}) }, context);
  const structured = (output as { structuredContent?: unknown } | undefined)?.structuredContent;
  return {
    content: typeof content === "string" ? [{ type: "text", text: content }] : content.map((block) => ({ ...block })),
    ...(isError === true ? { isError } : {}),
    ...(structured === undefined ? {} : { structuredContent: structured }),
  };
}

function refusalError(why: string): SessionError {
  return new SessionError("call_refused", `${refusalPrefix}${why}`);
}

interface HookedInput {
  input: ToolInput;
  hookDecision?: HookDecision;
}

async function runPreToolHooks(
  { hooks, around }: Joined,
  tool: Tool,
  input: ToolInput,
  context: ToolContext,
): Promise<HookedInput> {
  if (!hooks.has("PreToolUse")) return { input };
  const { toolUseId: tool_use_id, signal } = context;
  const callFields = { tool_name: tool.name, tool_input: input, tool_use_id };
  const answer = await hooks.run({ hook_event_name: "PreToolUse", ...callFields }, signal);
  for (const { text } of answer.notices) around.notice(text);
  const { permission, blocking, preventContinuation, updatedInput = input } = answer;
  const why = blocking[0] ?? preventContinuation;
  if (why !== undefined) throw refusalError(why);
  if (permission === undefined) return { input: updatedInput };
  const { behavior, reason } = permission;
  if (behavior === "deny" || behavior === "defer") throw refusalError(reason ?? "a hook refused it.");
  return { input: updatedInput, hookDecision: { ...permission, behavior } };
}

function validateHookedInput({ ports }: Joined, tool: Tool, hooked: HookedInput): HookedInput {
  const verdict = ports.tools.validate(tool.inputSchema, hooked.input);
  if (!verdict.ok) throw refusalError(verdict.message);
  return hooked;
}

async function decidePermission(
  { ports }: Joined,
  tool: Tool,
  { input, hookDecision }: HookedInput,
  context: ToolContext,
): Promise<ToolInput> {
  const baseRequest = { ...permissionRequestFor(tool, input, context), key: `${context.key}.permission` };
  const request = hookDecision === undefined ? baseRequest : { ...baseRequest, hookDecision };
  const decision = await ports.permission.decide(request, context.signal);
  if (decision.behavior === "deny") throw refusalError(decision.message);
  const { updatedInput = input } = decision;
  const verdict = ports.tools.validate(tool.inputSchema, updatedInput);
  if (!verdict.ok) throw refusalError(verdict.message);
  return updatedInput;
}

/** Runs the hooks only for those that watch: there is no model to receive what they add. */
async function runPostToolHooks(
  { hooks, around }: Joined,
  { name }: Tool,
  tool_input: ToolInput,
  tool_response: ToolResult,
  { toolUseId: tool_use_id, signal }: ToolContext,
): Promise<void> {
  const event = tool_response.isError === true ? "PostToolUseFailure" : "PostToolUse";
  if (!hooks.has(event)) return;
  const input = { hook_event_name: event, tool_name: name, tool_input, tool_response, tool_use_id } as const;
  for (const { text } of (await hooks.run(input, signal)).notices) around.notice(text);
}

/** Reads a `ui://` page of a server. Its content comes from the server and is not to be trusted. Throws `SessionError`. */
export async function readServerResource({ mcp }: Joined, server: string, uri: string): Promise<SDKMcpResource> {
  if (!uri.startsWith("ui://"))
    throw new SessionError(
      "file_unreadable",
      `${uri.slice(0, 120)} is not a ui:// address; other resources are read by the model.`,
    );
  const signal = AbortSignal.timeout(readMs);
  await mcp.desk?.ready(signal);
  const connection = (mcp.desk?.servers as McpHub | undefined)?.connection(server);
  if (connection === undefined)
    throw new SessionError("no_such_server", `No MCP server ${server.slice(0, 80)} is connected.`);
  try {
    const { contents } = await connection.use(signal, (client) =>
      client.readResource({ uri }, { signal, timeout: readMs, cacheMode: "bypass" }),
    );
    return { contents: contents as SDKMcpResource["contents"] };
  } catch (error) {
    const code = connection.status === "connected" ? "file_unreadable" : "server_not_connected";
    throw new SessionError(code, errorText(error), { cause: error });
  }
}
