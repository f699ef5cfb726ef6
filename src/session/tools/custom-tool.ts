/** Custom tools of the caller: a name, a schema and a function. */
import type { Tool, ToolContext, ToolInput, ToolInputSchema, ToolResult } from "../../protocol/tool.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { checkNames, checkObject, checkTexts } from "../options/check-arguments.ts";
import { isRecord } from "../../lib/is-record.ts";
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
