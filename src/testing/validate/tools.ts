/** Checks tool definitions and `tool_choice`. */
import { asText, isObject, stringOrEmpty } from "../wire/types.ts";
import { checkCacheControl } from "./blocks.ts";
import { isSchema, invalidSchemaMessage } from "./json-schema.ts";
import { mcpToolset } from "./parts.ts";
import { checkShape, unknownTag, type Shape } from "./shape.ts";
import { checkStrictTool, checkStrictTools } from "./strict-tools.ts";
import type { CheckContext, Report } from "./report.ts";

const customTool: Shape = {
  required: { name: "string", input_schema: "object" },
  optional: {
    type: "string",
    description: "string",
    cache_control: "object",
    strict: "boolean",
    eager_input_streaming: "boolean",
    defer_loading: "boolean",
    input_examples: { listOf: "object" },
    allowed_callers: { listOf: "string" },
  },
};

export function checkTools(body: Record<string, unknown>, context: CheckContext): void {
  const tools = (body["tools"] ?? []) as Record<string, unknown>[];
  const { report, options } = context;
  const names = new Set<unknown>();
  tools.forEach((tool, index) => {
    const type = tool["type"];
    if (type === undefined || type === null || type === "custom")
      checkCustomTool(tool, `tools.${index}.custom`, context);
    else if (options.endpoint !== "compatible") checkServerTool(tool, stringOrEmpty(type), `tools.${index}`, report);
    if (typeof tool["name"] === "string" && names.has(tool["name"])) report.add("tools", "Tool names must be unique.");
    names.add(tool["name"]);
  });
  checkStrictTools(tools, report);
  if (tools.length > 0 && tools.every((tool) => tool["defer_loading"] === true)) {
    report.add("tools", "All tools have defer_loading: true. At least one tool must be loaded from the start.");
  }
  checkToolChoice(body, tools, context);
}

/** The API's own tools carry the date of their version, with the exceptions in `undatedTools`. */
const datedTool = /^[a-z]+(?:_[a-z0-9]+)*_\d{8}$/;
/** An entry for several tools, which has no name of its own. */
const toolset = /^[a-z]+_toolset_\d{8}$/;
const undatedTools = ["tool_search_tool_bm25", "tool_search_tool_regex", "mcp_toolset"];

/** The fields of server tools vary by version and are not checked, so that a new version needs no new release of this package. */
function checkServerTool(tool: Record<string, unknown>, type: string, path: string, report: Report): void {
  if (!datedTool.test(type) && !undatedTools.includes(type)) {
    const tags = ["bash_20250124", "custom", "text_editor_20250728", "web_search_20250305", ...undatedTools];
    report.add(path, unknownTag(type, tags));
    return;
  }
  const complain = (at: string, message: string) => report.add(at, message);
  if (type === "mcp_toolset") checkShape(tool, mcpToolset, `${path}.${type}`, complain);
  else if (!toolset.test(type) && typeof tool["name"] !== "string")
    report.add(`${path}.${type}.name`, "Field required");
  checkCacheControl(tool, `${path}.${type}`, complain);
}

function checkCustomTool(tool: Record<string, unknown>, path: string, { report }: CheckContext): void {
  const complain = (at: string, message: string) => report.add(at, message);
  checkShape(tool, customTool, path, complain);
  checkCacheControl(tool, path, complain);
  checkStrictTool(tool, path, report);
  if (typeof tool["name"] === "string" && !/^[a-zA-Z0-9_-]{1,64}$/.test(tool["name"])) {
    report.add(`${path}.name`, "String should match pattern '^[a-zA-Z0-9_-]{1,64}$'");
  }
  const schema = tool["input_schema"];
  if (!isObject(schema)) return;
  if (schema["type"] === undefined) report.add(`${path}.input_schema.type`, "Field required");
  else if (schema["type"] !== "object") report.add(`${path}.input_schema.type`, "Input should be 'object'");
  if (["oneOf", "anyOf", "allOf"].some((key) => key in schema)) {
    report.add(`${path}.input_schema`, "input_schema does not support oneOf, allOf, or anyOf at the top level");
  }
  const properties = isObject(schema["properties"]) ? Object.keys(schema["properties"]) : [];
  if (!properties.every((key) => /^[a-zA-Z0-9_.-]{1,64}$/.test(key)))
    report.add(`${path}.input_schema.properties`, "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'");
  if (!isSchema(schema)) report.add(`${path}.input_schema`, invalidSchemaMessage);
}

const choiceShapes: Record<string, Shape> = {
  auto: { required: { type: "string" }, optional: { disable_parallel_tool_use: "boolean" } },
  any: { required: { type: "string" }, optional: { disable_parallel_tool_use: "boolean" } },
  tool: { required: { type: "string", name: "string" }, optional: { disable_parallel_tool_use: "boolean" } },
  // The reference lists the flag for every choice; for `none` it has no effect.
  none: { required: { type: "string" }, optional: { disable_parallel_tool_use: "boolean" } },
};

function checkToolChoice(body: Record<string, unknown>, tools: Record<string, unknown>[], context: CheckContext): void {
  const choice = body["tool_choice"];
  const { report, traits, options } = context;
  if (!isObject(choice)) return;
  const type = asText(choice["type"]);
  const shape = Object.hasOwn(choiceShapes, type) ? choiceShapes[type] : undefined;
  if (shape === undefined) {
    report.add("tool_choice", unknownTag(type, Object.keys(choiceShapes)));
    return;
  }
  checkShape(choice, shape, `tool_choice.${type}`, (path, message) => report.add(path, message));
  if (tools.length === 0) report.add("tool_choice", "may only be specified while providing `tools`.");
  const isForced = type === "any" || type === "tool";
  if (type === "tool" && !tools.some((tool) => tool["name"] === choice["name"])) {
    report.add("", `Tool '${asText(choice["name"])}' not found in provided tools`);
  }
  if (!isForced || options.endpoint === "compatible") return;
  const thinking = body["thinking"];
  if (!traits.forcedToolChoice) {
    report.add("tool_choice", `"${type}" is not supported for this model. Use "auto" or "none".`);
  } else if (isObject(thinking) && thinking["type"] === "enabled") {
    report.add("", "Thinking may not be enabled when tool_choice forces tool use.");
  }
}
