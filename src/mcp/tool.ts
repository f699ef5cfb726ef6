/** A server's tool as a tool of this session. What its server says about it never relaxes what a call requires. */
import { registerCall } from "../lib/in-process-calls.ts";
import { longestTimerMs } from "../lib/after-ms.ts";
import { errorText } from "../lib/error-text.ts";
import {
  InsufficientScopeError,
  SdkError,
  SdkErrorCode,
  type CallToolRequest,
  type Client,
  type RequestOptions,
  type Tool as ListedTool,
} from "@modelcontextprotocol/client";
import type { Tool, ToolContext, ToolInput, ToolProgress, ToolResult } from "../protocol/tool.ts";
import type { Connection } from "./connection.ts";
import { serverErrorText } from "./server-error-text.ts";
import { anyObject } from "./any-object.ts";
import { reportMissingScope } from "./missing-scope.ts";
import { questionsOf } from "./call-questions.ts";
import { describeLostCall } from "./connect-failure.ts";
import { httpFailure, isInvalidJson } from "./http-failure.ts";
import { IdleLimit, idleLimitMs } from "./idle-limit.ts";
import { cleanText } from "./clean-text.ts";
import type { McpToolDefinition } from "./definition.ts";
import { withServerFieldNames } from "./field-names.ts";
import { originalResult } from "./newest-results.ts";
import { toToolResult } from "./result.ts";
import { isChosenByUser, provenanceOf, type Server } from "./server.ts";
import { callAsTask, requiresTask, type TaskWatch } from "./task-call.ts";
import { callAfterPageVisits } from "./page-visits.ts";
import type { McpWorld } from "./world.ts";

export interface ToolBinding {
  /** `mcp__server__tool`. */
  name: string;
  connection: Connection;
  /** The current definition; undefined if the server no longer has the tool. */
  current: () => McpToolDefinition | undefined;
  world: McpWorld;
  /** Maximum number of characters of a result that go into the conversation. */
  maxResultChars: number;
}

export function createMcpTool(definition: McpToolDefinition, binding: ToolBinding): Tool {
  const { name, connection, world, maxResultChars } = binding;
  const { server } = connection;
  const hint = definition.readOnlyHint && isChosenByUser(server);
  const limit = callTimeLimitMs(definition, server, world);
  return {
    name,
    description: definition.description,
    inputSchema: definition.inputSchema,
    isConcurrencySafe: () => hint,
    // Only trusted for the host's own servers.
    isReadOnly: () => definition.readOnlyHint && (server.type === "sdk" || server.type === "transport"),
    replay: "never",
    mcpServer: provenanceOf(server),
    maxResultSizeChars: maxResultCharsOf(definition, server, maxResultChars),
    ...(limit === undefined ? {} : { timeLimitMs: () => limit }),
    describe: (input) => `${server.name}: ${definition.name} ${JSON.stringify(input)}`,
    call: (input, context, onProgress) => callTool(binding, input, context, onProgress),
  };
}

/** A host sets the limit for each of its tools; other servers cannot extend a call's time. */
function callTimeLimitMs({ timeLimitMs }: McpToolDefinition, { type, timeoutMs }: Server, world: McpWorld) {
  return (type === "sdk" && timeLimitMs > 0 ? timeLimitMs : undefined) ?? timeoutMs ?? world.callMs;
}

/** A host may also set a lower limit. */
function maxResultCharsOf({ resultChars }: McpToolDefinition, { type }: Server, usual: number): number {
  return type === "sdk" && resultChars > 0 ? resultChars : Math.max(usual, resultChars);
}

async function callTool(
  { name, connection, current, world }: ToolBinding,
  input: ToolInput,
  context: ToolContext,
  onProgress: (progress: ToolProgress) => void,
): Promise<ToolResult> {
  const { server } = connection;
  const idle = new IdleLimit(world, idleLimitMs(server, world));
  const registeredCall = server.type === "sdk" ? registerCall(context) : undefined;
  const began = world.clock.elapsed();
  const reportProgress = (message: string | undefined, data: Record<string, unknown>): void => {
    const textField = message === undefined ? {} : { text: `${cleanText(message, 500)}\n` };
    const elapsedMs = Math.round(world.clock.elapsed() - began);
    onProgress({ toolUseId: context.toolUseId, toolName: name, ...textField, elapsedMs, data });
  };
  try {
    const answer = await connection.use(context.signal, async (client) => {
      const definition = current();
      if (definition === undefined) return undefined;
      const params: CallToolRequest["params"] = {
        name: definition.name,
        arguments: withServerFieldNames(input, definition.fields),
        ...(registeredCall === undefined ? {} : { _meta: registeredCall.meta }),
      };
      const options: RequestOptions = {
        signal: AbortSignal.any([context.signal, idle.signal]),
        // The loop's own limit ends the call; this timeout is a fallback.
        timeout: Math.min(longestTimerMs, (callTimeLimitMs(definition, server, world) ?? longestTimerMs) + 5_000),
        onprogress: ({ progress, total, message }) => {
          idle.noteActivity();
          reportProgress(message, { progress, ...(total === undefined ? {} : { total }) });
        },
      };
      const watch = {
        clock: world.clock,
        onActivity: () => idle.noteActivity(),
        onProgress: (text: string) => reportProgress(text, {}),
      };
      const visitor = { serverName: server.name, ask: world.elicit, signal: options.signal ?? context.signal };
      const answered = callAfterPageVisits(() => sendCall(client, params, definition, options, watch), visitor);
      return await idle.during(questionsOf(client).trackCall(context.signal, answered));
    });
    if (answer === undefined)
      return errorResult(`The MCP server ${server.name} no longer has this tool. Go on without it.`);
    await connection.inventory.waitForChanges(context.signal);
    return toToolResult(answer);
  } catch (error) {
    if (context.signal.aborted) return errorResult(`The call to the MCP server ${server.name} was cancelled.`);
    if (idle.signal.aborted) return errorResult(idleLimitText(connection, idle.signal));
    if (error instanceof InsufficientScopeError) return errorResult(await reportMissingScope(error, server, world));
    return errorResult(failureText(connection, error));
  } finally {
    registeredCall?.close();
  }
}

function idleLimitText({ server: { name } }: Connection, { reason }: AbortSignal): string {
  return `The MCP server ${name} did not answer: ${errorText(reason)}, and the call was ended; it may have had an effect. CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT says how long a server may be silent, in ms.`;
}

/** Returns the answer as it came: it is the tool's effect, even if it does not match the output schema that the server declared. */
async function sendCall(
  client: Client,
  params: CallToolRequest["params"],
  { listedDefinition }: McpToolDefinition,
  options: RequestOptions,
  watch: TaskWatch,
): Promise<Record<string, unknown>> {
  if (requiresTask(listedDefinition, client)) return await callAsTask(client, params, options, watch);
  if (client.getProtocolEra() !== "modern")
    return await client.request({ method: "tools/call", params }, anyObject, options);
  // In this protocol version a definition may require parts of the input as headers.
  const { outputSchema: _, ...toolDefinition } = listedDefinition;
  const whole = { ...options, toolDefinition: toolDefinition as unknown as ListedTool };
  return originalResult(await client.callTool(params, whole));
}

function errorResult(text: string): ToolResult {
  return { content: text, isError: true };
}

function failureText({ server: { name: server }, error: why, isOff }: Connection, error: unknown): string {
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed) {
    if (isOff)
      return `The MCP server ${server} was switched off or restarted during the call; it may have had an effect.`;
    const reason = why === undefined ? "" : ` (${why})`;
    return `The MCP server ${server} ended during the call${reason}; it may have had an effect. It is started again for the next one.`;
  }
  const lost = describeLostCall(error);
  if (lost?.wasSent === true) {
    const code = lost.why === "" ? "" : ` (${lost.why})`;
    return `The connection to the MCP server ${server} was lost before the call's answer came${code}; it may have had an effect.`;
  }
  if (isInvalidJson(error))
    return `The MCP server ${server} answered with something that is not valid JSON; the call may have had an effect.`;
  const message = cleanText(lost?.why ?? httpFailure(error) ?? serverErrorText(error) ?? errorText(error), 4_000);
  return message.startsWith("The MCP server") ? message : `The MCP server ${server} failed: ${message}`;
}
