/** Custom tools of the caller: a name, a schema and a function. */
import { errorText } from "../../lib/error-text.ts";
import { pictureType } from "../../lib/image-header.ts";
import { checkContent } from "../../transcript/check-content.ts";
import type { Tool, ToolContext, ToolInput, ToolInputSchema, ToolResult } from "../../protocol/tool.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { checkNames, checkObject, checkTexts } from "../options/check-arguments.ts";
import { maxValueDepth, isDeeperThan } from "../../lib/is-deeper.ts";
import { isRecord } from "../../lib/is-record.ts";
import { asFireAndForget } from "../../lib/fire-and-forget.ts";
import { withoutNulls } from "../../lib/without-nulls.ts";
import { toNewestDraft } from "./newest-draft.ts";
import { schemaProblem } from "./schema-problem.ts";
import {
  parseShapeInput,
  isShape,
  isStandardSchema,
  schemaOfShape,
  type ShapeOutput,
  type StandardShape,
} from "./standard-shape.ts";

export interface CustomToolOptions {
  /** The tool changes nothing: it may run in parallel, and is allowed wherever reading is. */
  readOnlyHint?: boolean | undefined;
  /** Whether a call may be repeated after a crash. Default: `safe` for read-only tools, else `never`. */
  replay?: Tool["replay"] | undefined;
  /** The most characters of a result that the model gets inline. Default 100,000. */
  maxResultSizeChars?: number | undefined;
  /** How long a call may take, ms. Default 30 minutes. */
  timeLimitMs?: number | undefined;
}

/** What a handler may return: text, a whole tool result, or a result of the Model Context Protocol. */
export type CustomToolAnswer = string | ToolResult | McpToolAnswer;

/** Its parts are texts, images (`data`, `mimeType`), resources and links to resources. */
export interface McpToolAnswer {
  content: { type: string; [field: string]: unknown }[];
  isError?: boolean | undefined;
  structuredContent?: unknown;
  [field: string]: unknown;
}

/** Tool annotations of agent SDKs: `annotations.readOnlyHint` acts as `readOnlyHint`; the rest has no effect here. */
export interface ToolAnnotationOptions {
  annotations?: { readOnlyHint?: boolean | undefined; [hint: string]: unknown };
  searchHint?: string;
  alwaysLoad?: boolean;
}

const optionNames = [
  "readOnlyHint",
  "replay",
  "maxResultSizeChars",
  "timeLimitMs",
  "annotations",
  "searchHint",
  "alwaysLoad",
] satisfies (keyof (CustomToolOptions & ToolAnnotationOptions))[];

export const defaultResultChars = 100_000;

type Handler<Input> = (input: Input, context: ToolContext) => Promise<CustomToolAnswer>;

/**
 * Makes a tool from a function. The input is checked before the handler sees it: against a JSON Schema, or by one schema per field, for
 * example of zod. What the handler throws becomes an error result for the model. Throws `UsageError` for an invalid schema or option, and
 * for a field whose schema has no equivalent in JSON Schema.
 */
export function tool(
  name: string,
  description: string,
  inputSchema: ToolInputSchema,
  handler: Handler<ToolInput>,
  options?: CustomToolOptions & ToolAnnotationOptions,
): Tool;
export function tool<Shape extends StandardShape>(
  name: string,
  description: string,
  inputSchema: Shape,
  handler: Handler<ShapeOutput<Shape>>,
  options?: CustomToolOptions & ToolAnnotationOptions,
): Tool;
export function tool(
  name: string,
  description: string,
  schema: ToolInputSchema | StandardShape,
  handler: Handler<never>,
  options: CustomToolOptions & ToolAnnotationOptions = {},
): Tool {
  checkTexts({ name, description });
  checkObject("inputSchema", schema);
  if (typeof handler !== "function") throw new UsageError(`The handler of the tool ${name} must be a function.`);
  checkObject("options", options);
  checkNames(options, optionNames, `The tool ${name}`);
  checkOptions(name, options);
  checkSchema(name, schema);
  const isReadOnly = (options.readOnlyHint ?? options.annotations?.readOnlyHint) === true;
  const inputSchema = isShape(schema) ? schemaOfShape(name, schema) : toNewestDraft(schema);
  const { timeLimitMs } = options;
  return {
    name,
    description,
    inputSchema,
    isConcurrencySafe: () => isReadOnly,
    isReadOnly: () => isReadOnly,
    replay: options.replay ?? (isReadOnly ? "safe" : "never"),
    maxResultSizeChars: options.maxResultSizeChars ?? defaultResultChars,
    ...(timeLimitMs === undefined ? {} : { timeLimitMs: () => timeLimitMs }),
    async call(input, context) {
      const read = isShape(schema) ? await parseShapeInput(schema, input) : input;
      const answer = await handler(read as never, context);
      return typeof answer === "string" ? { content: answer } : await resultOf(answer);
    },
  };
}

/** Throws `UsageError` for an option that would be ignored or make every call fail. */
function checkOptions(
  tool: string,
  { readOnlyHint, replay, maxResultSizeChars, timeLimitMs }: CustomToolOptions,
): void {
  const refuse = (option: string, what: string): never => {
    throw new UsageError(`The option ${option} of the tool ${tool} must be ${what}.`);
  };
  if (typeof (readOnlyHint ?? false) !== "boolean") refuse("readOnlyHint", "true or false");
  if (!["safe", "idempotent", "never"].includes(replay ?? "never")) refuse("replay", "safe, idempotent or never");
  if (!isAmount(maxResultSizeChars)) refuse("maxResultSizeChars", "a number of characters, at least 0");
  if (!isAmount(timeLimitMs) || timeLimitMs === 0) refuse("timeLimitMs", "a number of milliseconds above 0");
}

function isAmount(value: unknown): boolean {
  return value === undefined || (typeof value === "number" && value >= 0);
}

/** An unusable schema would offer the model no fields and pass unchecked input to the handler, or make the API refuse every request. */
function checkSchema(tool: string, schema: ToolInputSchema | StandardShape): void {
  if (isStandardSchema(schema))
    throw new UsageError(
      `The inputSchema of the tool ${tool} must have a schema for each field instead of being one schema: for a z.object(), pass its shape.`,
    );
  if (!isShape(schema) && schema.type !== "object")
    throw new UsageError(
      `The inputSchema of the tool ${tool} must be a JSON Schema with type: "object", or an object with a schema for each field.`,
    );
  const wrong = isShape(schema) ? undefined : schemaProblem(schema);
  if (wrong !== undefined)
    throw new UsageError(`The inputSchema of the tool ${tool} is not a valid JSON Schema: ${wrong}.`);
}

/** Tells the two kinds of result apart by their parts: only results of the protocol have these. */
async function resultOf(answer: ToolResult | McpToolAnswer): Promise<ToolResult> {
  const content: unknown = isRecord(answer) ? answer["content"] : undefined;
  const isOfProtocol = Array.isArray(content) && content.some(isProtocolPart);
  const isNamed = isRecord(answer) && ("structuredContent" in answer || "_meta" in answer);
  if (!isOfProtocol && !isNamed) return answer as ToolResult;
  const { toToolResult } = await import("../../mcp/result.ts");
  return toToolResult(answer as Record<string, unknown>);
}

function isProtocolPart(part: unknown): boolean {
  return isRecord(part) && ("mimeType" in part || part["type"] === "resource" || part["type"] === "resource_link");
}

/**
 * Wraps a foreign tool, which may be a class instance. The tool gets copies, so that changing its input does not change the conversation,
 * and its results become plain JSON of known blocks, so that they can be recorded and sent.
 */
export function adoptTool(tool: Tool): Tool {
  const { name, description, inputSchema, aliases, interruptBehavior, failureCancelsSiblings, replay } = tool;
  const own: Tool = {
    name,
    description,
    inputSchema,
    aliases,
    interruptBehavior,
    failureCancelsSiblings,
    replay,
    checksOwnInput: tool.checksOwnInput,
    requiresUserInteraction: tool.requiresUserInteraction,
    answeredFields: tool.answeredFields,
    mcpServer: tool.mcpServer,
    maxResultSizeChars: tool.maxResultSizeChars,
    isConcurrencySafe: (input) => tool.isConcurrencySafe(structuredClone(input)),
    isReadOnly: (input) => tool.isReadOnly(structuredClone(input)),
    call: async (input, context, onProgress) =>
      plainResult(await tool.call(structuredClone(input), plainContext(context), onProgress), name),
  };
  if (tool.onAnnounced !== undefined) own.onAnnounced = asFireAndForget(() => tool.onAnnounced?.());
  if (tool.timeLimitMs !== undefined) own.timeLimitMs = (input) => tool.timeLimitMs!(structuredClone(input));
  if (tool.permissionSubjects !== undefined)
    own.permissionSubjects = (input, cwd) => tool.permissionSubjects!(structuredClone(input), cwd);
  if (tool.describe !== undefined) own.describe = (input) => tool.describe!(structuredClone(input));
  if (tool.validateInput !== undefined)
    own.validateInput = (input, context) => tool.validateInput!(structuredClone(input), plainContext(context));
  if (tool.contentOf !== undefined) own.contentOf = (output) => plainContent(tool.contentOf!(output), name);
  if (tool.isAnswered !== undefined) own.isAnswered = (input) => tool.isAnswered!(structuredClone(input));
  if (tool.onRefused !== undefined) own.onRefused = (why) => tool.onRefused!(why);
  if (tool.observableInput !== undefined)
    own.observableInput = (input, cwd) => tool.observableInput!(structuredClone(input), cwd);
  return own;
}

/** All properties are own properties, so that the context can be spread. */
function plainContext(context: ToolContext): ToolContext {
  const { sessionId, key, toolUseId, signal, cwd, hookAsks } = context;
  const registerTurnEnd: ToolContext["registerTurnEnd"] = (name, dispose) => context.registerTurnEnd(name, dispose);
  const own = { sessionId, key, toolUseId, signal, cwd, registerTurnEnd };
  return hookAsks === true ? { ...own, hookAsks } : own;
}

/** Sets the media type of an image from its bytes. If they are no known image, the code that fits media replaces it with a line of text. */
function withImageType(value: unknown): unknown {
  const block = isRecord(value) ? withoutNulls(value) : value;
  if (!isRecord(block) || block["type"] !== "image" || !isRecord(block["source"])) return block;
  const { source } = block;
  if (source["type"] !== "base64" || typeof source["data"] !== "string") return block;
  const type = pictureType(Buffer.from(source["data"].slice(0, 64), "base64"));
  return { ...block, source: { ...source, media_type: type ?? "image/png" } };
}

function plainContent(content: ToolResult["content"] | undefined, name: string): ToolResult["content"] | undefined {
  return content === undefined ? undefined : plainResult({ content }, name).content;
}

/** A value that is not a tool result becomes an error result. */
export function plainResult(result: unknown, name: string): ToolResult {
  let plain: unknown;
  try {
    plain = JSON.parse(JSON.stringify(result) ?? "null");
  } catch (error) {
    // Some JavaScript engines cannot serialize such depth.
    if (error instanceof RangeError && isRecord(result) && result["output"] !== undefined)
      return plainResult({ ...result, output: undefined }, name);
    const why = error instanceof RangeError ? "it is nested too deep" : errorText(error);
    return { content: `${name} returned something that cannot be written as JSON (${why}).`, isError: true };
  }
  // `output` is only for clients; a record with output this deep could not be read again.
  if (isRecord(plain) && isDeeperThan(plain["output"], maxValueDepth)) delete plain["output"];
  if (isDeeperThan(plain, maxValueDepth + 1))
    return { content: `${name} returned something that is nested too deep.`, isError: true };
  const rawContent = isRecord(plain) ? plain["content"] : undefined;
  const content: unknown = Array.isArray(rawContent) ? rawContent.map(withImageType) : rawContent;
  const followUp: unknown = (isRecord(plain) ? plain["followUp"] : undefined) ?? [];
  const wrong =
    checkContent([{ type: "tool_result", tool_use_id: name, content }], "user") ?? checkContent(followUp, "result");
  if (wrong === undefined) return { ...(plain as ToolResult), content: content as ToolResult["content"] };
  return {
    content: `${name} returned something that is not a tool result: expected text or a list of blocks.`,
    isError: true,
  };
}
