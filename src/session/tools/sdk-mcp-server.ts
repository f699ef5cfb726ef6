/** An in-process MCP server made of functions: offers the tools of `tool()` over the protocol. */
import { findCallContext, timeLimitMetaKey } from "../../lib/in-process-calls.ts";
import { endTurnMetaKey } from "../../protocol/end-turn-meta-key.ts";
import { toError, errorText } from "../../lib/error-text.ts";
import { isPdf } from "../../lib/pdf-facts.ts";
import { isRecord } from "../../lib/is-record.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { randomUUID } from "node:crypto";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import { checkNames, checkObject, checkOptionalTexts, checkTexts } from "../options/check-arguments.ts";
import { checkTools, refuseDuplicateTools } from "../options/check-tools.ts";
import { plainResult } from "./adopt-tool.ts";
import { defaultResultChars } from "./custom-tool.ts";
import type { McpServerInstance, McpTransport } from "../../protocol/mcp.ts";
import type { ToolResultContent } from "../../protocol/message.ts";
import type { Tool, ToolContext, ToolResult } from "../../protocol/tool.ts";

export interface SdkMcpServerOptions {
  name: string;
  /** Default `1.0.0`. */
  version?: string;
  /** Tells the model how to use the tools together. */
  instructions?: string;
  tools?: Tool[];
  /** The time limit of a call, in ms; values below 1,000 are ignored. */
  timeout?: number;
  /** Offers the server's tools from the start, however many there are. */
  alwaysLoad?: boolean;
}

const optionNames = [
  "name",
  "version",
  "instructions",
  "tools",
  "timeout",
  "alwaysLoad",
] satisfies (keyof SdkMcpServerOptions)[];

/** A value for the option `mcpServers`. */
export interface SdkMcpServer {
  type: "sdk";
  name: string;
  instance: McpServerInstance;
  timeout?: number;
  alwaysLoad?: boolean;
}

export function createSdkMcpServer(options: SdkMcpServerOptions): SdkMcpServer {
  checkObject("The argument of createSdkMcpServer()", options);
  checkNames(options, optionNames, "createSdkMcpServer()");
  const { name, version, instructions, timeout, alwaysLoad } = options;
  checkTexts({ name });
  checkOptionalTexts({ version, instructions });
  if (timeout !== undefined && !(typeof timeout === "number" && timeout >= 0))
    throw new UsageError(`The timeout of the MCP server ${name} must be a number of milliseconds.`);
  checkTools("tools", options.tools);
  refuseDuplicateTools(options.tools ?? []);
  return {
    type: "sdk",
    name,
    instance: { connect: (transport) => serve(options, transport, describeWithLimits) },
    ...withoutUndefined({ timeout, alwaysLoad }),
  };
}

interface Request {
  id?: string | number;
  method?: string;
  params?: Record<string, unknown>;
}

const methodNotFound = -32_601;
const invalidParams = -32_602;

/** Answers requests on `transport` until it is closed. `pawl mcp serve` uses this too. */
export async function serve(
  options: SdkMcpServerOptions,
  transport: McpTransport,
  describe = describeTool,
): Promise<void> {
  const running = new Map<string | number, AbortController>();
  transport.onmessage = (message: Request): void => {
    const { id, method, params = {} } = message;
    if (method === "notifications/cancelled") running.get(params["requestId"] as string | number)?.abort("user");
    if (id === undefined || method === undefined) return;
    const ended = new AbortController();
    running.set(id, ended);
    answerRequest({ ...options, describe }, method, params, ended.signal)
      .then((result) => transport.send({ jsonrpc: "2.0", id, ...result }))
      .catch((error: unknown) => transport.onerror?.(toError(error)))
      .finally(() => running.delete(id));
  };
  const onclose = transport.onclose;
  transport.onclose = () => {
    for (const ended of running.values()) ended.abort("shutdown");
    onclose?.();
  };
  await transport.start?.();
}

type Answer = { result: Record<string, unknown> } | { error: { code: number; message: string } };

async function answerRequest(
  {
    name,
    version = "1.0.0",
    instructions,
    tools = [],
    describe,
  }: SdkMcpServerOptions & { describe: typeof describeTool },
  method: string,
  params: Record<string, unknown>,
  signal: AbortSignal,
): Promise<Answer> {
  switch (method) {
    case "initialize": {
      const requestedVersion = params["protocolVersion"];
      const result = {
        protocolVersion: typeof requestedVersion === "string" ? requestedVersion : "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name, version },
        ...(instructions === undefined ? {} : { instructions }),
      };
      return { result };
    }
    case "ping":
      return { result: {} };
    case "tools/list":
      return { result: { tools: tools.map(describe) } };
    case "tools/call": {
      const tool = tools.find((each) => each.name === params["name"]);
      if (tool === undefined)
        return { error: { code: invalidParams, message: `There is no tool ${String(params["name"])}.` } };
      return { result: await callTool(tool, params, signal) };
    }
    default:
      return { error: { code: methodNotFound, message: `There is no method ${method}.` } };
  }
}

function describeTool(tool: Tool): Record<string, unknown> {
  const { name, description, inputSchema } = tool;
  // A tool whose effect depends on its input cannot promise to change nothing.
  const annotations = isReadOnly(tool) ? { annotations: { readOnlyHint: true } } : {};
  return { name, description, inputSchema, ...annotations };
}

/** Adds the limits that a host sets for its own tools, so that they apply here as elsewhere. */
function describeWithLimits(tool: Tool): Record<string, unknown> {
  const { maxResultSizeChars } = tool;
  const limitMs = timeLimitOf(tool);
  const _meta = {
    ...(maxResultSizeChars === defaultResultChars ? {} : { "anthropic/maxResultSizeChars": maxResultSizeChars }),
    ...(limitMs === undefined ? {} : { [timeLimitMetaKey]: limitMs }),
  };
  return Object.keys(_meta).length === 0 ? describeTool(tool) : { ...describeTool(tool), _meta };
}

function timeLimitOf(tool: Tool): number | undefined {
  try {
    return tool.timeLimitMs?.({});
  } catch {
    // The limit depends on the input, and there is none yet.
    return undefined;
  }
}

function isReadOnly(tool: Tool): boolean {
  try {
    return tool.isReadOnly({});
  } catch {
    return false;
  }
}

async function callTool(
  tool: Tool,
  params: Record<string, unknown>,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const { arguments: args } = params;
  const input = typeof args === "object" && args !== null ? (args as Record<string, unknown>) : {};
  const disposers = new Map<string, () => unknown>();
  const session = findCallContext(params["_meta"]) as ToolContext | undefined;
  const context = session === undefined ? externalContext(signal, disposers) : withSignal(session, signal);
  try {
    const result = plainResult(await tool.call(input, context, () => undefined), tool.name);
    const { content, isError, endsTurn } = result;
    return {
      content: wireContent(content),
      ...structureOf(result),
      ...(isError === true ? { isError } : {}),
      ...(endsTurn === true ? { _meta: { [endTurnMetaKey]: true } } : {}),
    };
  } catch (error) {
    return { content: wireContent(errorText(error)), isError: true };
  } finally {
    await Promise.allSettled(Array.from(disposers.values(), async (dispose) => dispose()));
  }
}

/** The context of a call from a session in this process. The reason of the session's own abort takes precedence. */
function withSignal(session: ToolContext, signal: AbortSignal): ToolContext {
  return { ...session, signal: AbortSignal.any([session.signal, signal]) };
}

/** The context of a call from another process: there is no session and no turn beyond the call. */
function externalContext(signal: AbortSignal, disposers: Map<string, () => unknown>): ToolContext {
  const toolUseId = `mcp_${randomUUID()}`;
  const registerTurnEnd = (name: string, dispose: () => unknown): void => void disposers.set(name, dispose);
  return { sessionId: "", key: toolUseId, toolUseId, cwd: process.cwd(), signal, registerTurnEnd };
}

/** The structured part of a protocol result, for clients. */
function structureOf({ output }: ToolResult): { structuredContent?: unknown } {
  if (!isRecord(output) || !isRecord(output["structuredContent"])) return {};
  return { structuredContent: output["structuredContent"] };
}

function wireContent(content: ToolResultContent): Record<string, unknown>[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content.map(wirePart);
}

function wirePart(block: Exclude<ToolResultContent, string>[number]): Record<string, unknown> {
  if (block.type === "text") return { type: "text", text: block.text };
  const { source } = block;
  switch (source.type) {
    case "base64":
      if (block.type === "document") return wireFile(source.data, block.title);
      return { type: "image", data: source.data, mimeType: source.media_type };
    case "text":
      return { type: "text", text: source.data };
    case "url":
      return { type: "resource_link", uri: source.url, name: block.type };
    case "file":
      return { type: "text", text: `[${block.type}]` };
    default:
      return source satisfies never;
  }
}

/** Every file is sent as a `document` block. If it is no PDF, only its name tells its type. */
function wireFile(blob: string, title = "document"): Record<string, unknown> {
  const kind = isPdf(Buffer.from(blob.slice(0, 2048), "base64")) ? { mimeType: "application/pdf" } : {};
  return { type: "resource", resource: { uri: `attachment:${title}`, ...kind, blob } };
}
