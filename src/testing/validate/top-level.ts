/** Checks the body's own fields: which exist, their types, and which need a beta header. */
import { asText, isObject } from "../wire/types.ts";
import { checkCacheControl } from "./blocks.ts";
import {
  billingPolicy,
  container,
  diagnostics,
  fallbackCredit,
  fallbackModels,
  mcpServers,
  outputFormat,
} from "./parts.ts";
import { alternatives, checkShape, unknownTag, type Complain, type Shape } from "./shape.ts";
import type { Report, ValidationOptions } from "./report.ts";

const requestShape: Shape = {
  required: { model: "string", messages: "array", max_tokens: "integer" },
  optional: {
    system: "text or array",
    tools: "array",
    tool_choice: "object",
    stream: "boolean",
    temperature: "number",
    top_p: "number",
    top_k: "integer",
    stop_sequences: "array",
    metadata: "object",
    thinking: "object",
    output_config: "object",
    cache_control: "object",
    service_tier: "string",
    container,
    inference_geo: "string",
    context_management: "object",
    compaction: "object",
    speed: "string",
    fallbacks: { textOr: fallbackModels },
    fallback_credit_token: fallbackCredit,
    billing_policy: billingPolicy,
    diagnostics,
    mcp_servers: mcpServers,
    output_format: outputFormat,
    thread: "object",
  },
};

const generationOnlyFields = new Set(
  (
    "stream temperature top_p top_k stop_sequences metadata service_tier container inference_geo diagnostics " +
    "fallbacks fallback_credit_token thread"
  ).split(" "),
);

const countShape: Shape = {
  required: { model: "string", messages: "array" },
  // Fields that only generation uses are not part of this endpoint's schema.
  optional: Object.fromEntries(Object.entries(requestShape.optional).filter(([key]) => !generationOnlyFields.has(key))),
};

/** Fields that require one of these beta headers. */
const betaFields: Record<string, readonly string[]> = {
  context_management: ["context-management-2025-06-27", "compact-2026-01-12"],
  speed: ["fast-mode-2026-02-01"],
  fallbacks: ["server-side-fallback-2026-07-01", "server-side-fallback-2026-06-01"],
  fallback_credit_token: ["fallback-credit-2026-07-01", "fallback-credit-2026-06-01"],
  billing_policy: ["user-profiles-billing-2026-10-01"],
  mcp_servers: ["mcp-client-2026-09-15", "mcp-client-2025-11-20", "mcp-client-2025-04-04"],
  output_format: ["structured-outputs-2025-11-13"],
  thread: ["message-threads-2026-08-12"],
};

/** Returns false if the body is not even an object. */
export function checkTopLevel(
  body: unknown,
  betas: ReadonlySet<string>,
  options: ValidationOptions,
  report: Report,
): body is Record<string, unknown> {
  if (!isObject(body)) {
    report.add("", "Input should be a valid dictionary");
    return false;
  }
  const complain = (path: string, message: string) => report.add(path, message);
  checkShape(body, options.operation === "count_tokens" ? countShape : requestShape, "", complain);
  if (options.endpoint !== "compatible") {
    for (const [field, needed] of Object.entries(betaFields)) {
      if (body[field] !== undefined && !needed.some((beta) => betas.has(beta))) {
        report.add(field, "Extra inputs are not permitted");
      }
    }
  }
  // Unlike most optional fields, these two may be left out but must not be null.
  for (const field of ["tools", "system"]) if (body[field] === null) complain(field, "Input should be a valid list");
  checkSmallFields(body, report);
  checkThread(body["thread"], complain);
  if (Array.isArray(body["messages"]) && body["messages"].length === 0) {
    report.add("messages", "at least one message is required");
  }
  checkCacheControl(body, "", (path, message) => report.add(path.replace(/^\./, ""), message));
  checkLists(body, report);
  return true;
}

function checkSmallFields(body: Record<string, unknown>, report: Report): void {
  const complain = (path: string, message: string) => report.add(path, message);
  if (isObject(body["metadata"])) {
    checkShape(body["metadata"], { required: {}, optional: { user_id: "string" } }, "metadata", complain);
  }
  const tier = body["service_tier"];
  if (typeof tier === "string" && tier !== "auto" && tier !== "standard_only") {
    report.add("service_tier", `Input should be ${alternatives(["auto", "standard_only"])}`);
  }
  const speed = body["speed"];
  if (typeof speed === "string" && speed !== "fast" && speed !== "standard") {
    report.add("speed", `Input should be ${alternatives(["standard", "fast"])}`);
  }
  const { fallbacks } = body;
  if (typeof fallbacks === "string" && fallbacks !== "default")
    report.add("fallbacks", "Input should be 'default' or a valid list");
  const stops = body["stop_sequences"];
  if (Array.isArray(stops)) {
    stops.forEach((stop, index) => {
      if (typeof stop !== "string") report.add(`stop_sequences.${index}`, "Input should be a valid string");
      else if (stop.trim() === "") report.add("", "stop_sequences: each stop sequence must contain non-whitespace");
    });
  }
}

const threadShapes: Record<string, Shape> = {
  create: { required: { type: "string" }, optional: {} },
  continue: { required: { type: "string", previous_message_id: "string" }, optional: {} },
};

function checkThread(thread: unknown, complain: Complain): void {
  if (!isObject(thread)) return;
  const type = asText(thread["type"]);
  const found = Object.hasOwn(threadShapes, type) ? threadShapes[type] : undefined;
  if (found !== undefined) return checkShape(thread, found, `thread.${type}`, complain);
  complain("thread", unknownTag(type, Object.keys(threadShapes)));
}

/** The request continues a thread: it holds only the new messages, and cannot be validated alone. */
export function continuesThread(body: Record<string, unknown>): boolean {
  return isObject(body["thread"]) && body["thread"]["type"] === "continue";
}

/** Every entry of these lists must be an object before anything else reads it. */
function checkLists(body: Record<string, unknown>, report: Report): void {
  for (const field of ["messages", "tools", "system"]) {
    const list = body[field];
    if (!Array.isArray(list)) continue;
    list.forEach((entry, index) => {
      if (!isObject(entry)) report.add(`${field}.${index}`, "Input should be a valid dictionary");
    });
  }
}

/** Whether messages, tools and system can be traversed safely. */
export function isTraversable(body: Record<string, unknown>): boolean {
  const { messages, tools, system, model } = body;
  const objects = (value: unknown) => Array.isArray(value) && value.every(isObject);
  if (typeof model !== "string" || !objects(messages)) return false;
  if (tools !== undefined && !objects(tools)) return false;
  if (system !== undefined && typeof system !== "string" && !objects(system)) return false;
  return (messages as Record<string, unknown>[]).every(
    ({ role, content }) =>
      typeof role === "string" &&
      (typeof content === "string" ||
        (objects(content) && hasTypes(content as never)) ||
        (role === "system" && content === undefined)),
  );
}

function hasTypes(blocks: Record<string, unknown>[]): boolean {
  return blocks.every((block) => typeof block["type"] === "string");
}
