/** Checks each message by itself: block shapes, roles of blocks, empty text, cache marks where none are allowed. */
import { asText, isObject, type WireMessage } from "../wire/types.ts";
import { checkShape, unknownTag, type Complain, type Kind, type Shape } from "./shape.ts";
import {
  addedTool,
  citationsConfig,
  clearAt,
  imageTransformations,
  listedTools,
  messageOutputConfig,
  removedTool,
} from "./parts.ts";
import type { LocalFinding, ValidationState } from "./report.ts";

interface BlockRule extends Shape {
  roles: readonly ("user" | "assistant" | "system")[];
}

const user = ["user"] as const;
const assistant = ["assistant"] as const;
const anyRole = ["user", "assistant", "system"] as const;

function rule(roles: BlockRule["roles"], required: Shape["required"], optional: Shape["optional"] = {}): BlockRule {
  return { roles, required: { type: "string", ...required }, optional: { cache_control: "object", ...optional } };
}

const serverResult = rule(
  assistant,
  { tool_use_id: "string", content: "any" },
  { caller: "object", is_error: "boolean" },
);
const serverUse = rule(
  assistant,
  { id: "string", name: "string", input: "object" },
  { caller: "object", server_name: "string" },
);

const rules: Record<string, BlockRule> = {
  text: rule(anyRole, { text: "string" }, { citations: "array" }),
  image: rule(user, { source: "object" }, { transformations: imageTransformations }),
  document: rule(user, { source: "object" }, { title: "string", context: "string", citations: citationsConfig }),
  search_result: rule(user, { source: "string", title: "string", content: "array" }, { citations: citationsConfig }),
  tool_use: rule(
    assistant,
    { id: "string", name: "string", input: "object" },
    { caller: "object", toolset_name: "string" },
  ),
  tool_result: rule(
    user,
    { tool_use_id: "string" },
    { content: "text or array", is_error: "boolean", toolset_name: "string" },
  ),
  thinking: { roles: assistant, required: { type: "string", thinking: "string", signature: "string" }, optional: {} },
  redacted_thinking: { roles: assistant, required: { type: "string", data: "string" }, optional: {} },
  server_tool_use: serverUse,
  mcp_tool_use: serverUse,
  web_search_tool_result: serverResult,
  web_fetch_tool_result: serverResult,
  code_execution_tool_result: serverResult,
  bash_code_execution_tool_result: serverResult,
  text_editor_code_execution_tool_result: serverResult,
  tool_search_tool_result: serverResult,
  advisor_tool_result: serverResult,
  mcp_tool_result: rule(assistant, { tool_use_id: "string" }, { content: "text or array", is_error: "boolean" }),
  mcp_tool_listing: rule(assistant, { mcp_server_name: "string", tools: listedTools }),
  container_upload: rule(["user", "assistant"], { file_id: "string" }),
  compaction: rule(
    ["user", "assistant"],
    {},
    { content: "string", encrypted_content: "string", signature: "string", tool_changes: "any" },
  ),
  fallback: rule(assistant, { from: "object", to: "object" }, { trigger: "any" }),
  tool_addition: rule(["user", "system"], { tool: addedTool }),
  tool_removal: rule(["user", "system"], { tool: removedTool }),
};

const blocksInResults = ["text", "image", "document", "search_result", "tool_reference", "browser_state"];
/** Blocks that are only allowed inside tool results. */
const resultOnlyRules: Record<string, BlockRule> = {
  tool_reference: rule(user, { tool_name: "string" }),
  browser_state: rule(user, { tabs: "array" }, { state_changes: "array" }),
};

/** The findings of one message, memoized by message. */
export function localFindings(message: WireMessage, state: ValidationState | undefined): LocalFinding[] {
  const known = state?.localChecks.get(message);
  if (known !== undefined) return known;
  const findings: LocalFinding[] = [];
  checkMessage(message, state?.knownBlockTypes ?? new Set(), (path, text) => findings.push({ path, message: text }));
  state?.localChecks.set(message, findings);
  return findings;
}

const messageShape: Shape = { required: { role: "string", content: "text or array" }, optional: {} };
const systemMessageShape: Shape = {
  required: { role: "string" },
  optional: { content: "text or array", clear_at: clearAt, output_config: messageOutputConfig },
};

function checkMessage(message: WireMessage, knownTypes: ReadonlySet<string>, complain: Complain): void {
  checkShape(message, message.role === "system" ? systemMessageShape : messageShape, "", complain);
  if (!Array.isArray(message.content)) {
    if (typeof message.content === "string") checkText(message.content, false, "", complain);
    return;
  }
  message.content.forEach((block: unknown, index) => {
    const path = `content.${index}`;
    if (!isObject(block)) complain(path, "Input should be a valid dictionary");
    else if (typeof block["type"] !== "string") complain(`${path}.type`, "Field required");
    else if (!knownTypes.has(block["type"])) checkBlock(block, block["type"], message.role, path, complain);
  });
}

function checkBlock(
  block: Record<string, unknown>,
  type: string,
  role: string,
  path: string,
  complain: Complain,
): void {
  const found = Object.hasOwn(rules, type) ? rules[type] : undefined;
  if (found === undefined) {
    complain(path, unknownTag(type, Object.keys(rules)));
    return;
  }
  if (!found.roles.includes(role as never)) {
    complain(
      path,
      `\`${type}\` blocks can only be in ${found.roles.map((name) => `\`${name}\``).join(" or ")} messages`,
    );
  }
  const inner = `${path}.${type}`;
  checkShape(block, found, inner, complain);
  checkCacheControl(block, inner, complain);
  if (type === "text") checkText(block["text"], "cache_control" in block, path, complain);
  else if (type === "tool_use") checkToolUse(block, inner, complain);
  else if (type === "tool_result") checkToolResult(block, inner, complain);
  else if (type === "image" || type === "document") checkSource(block["source"], type, inner, complain);
  else if (type === "search_result") checkSearchResult(block, inner, complain);
}

export function checkCacheControl(block: Record<string, unknown>, path: string, complain: Complain): void {
  const control = block["cache_control"];
  if (!isObject(control)) return;
  if (control["type"] !== "ephemeral") {
    complain(`${path}.cache_control.type`, "Input should be 'ephemeral'");
  }
  const ttl = control["ttl"];
  if (ttl !== undefined && ttl !== "5m" && ttl !== "1h") {
    complain(`${path}.cache_control.ephemeral.ttl`, "Input should be '5m' or '1h'");
  }
  for (const key in control) {
    if (key !== "type" && key !== "ttl" && key !== "scope") {
      complain(`${path}.cache_control.ephemeral.${key}`, "Extra inputs are not permitted");
    }
  }
}

function checkText(text: unknown, hasCacheControl: boolean, path: string, complain: Complain): void {
  if (typeof text !== "string" || text.trim() !== "") return;
  if (hasCacheControl) complain(`${path}.text`, "cache_control cannot be set for empty text blocks");
  // A plain empty string means that the message is empty; the caller reports that.
  else if (path === "" && text === "") return;
  else if (text === "") complain("", "text content blocks must be non-empty");
  else complain("", "text content blocks must contain non-whitespace text");
}

function checkToolUse(block: Record<string, unknown>, path: string, complain: Complain): void {
  if (typeof block["id"] === "string" && !/^[a-zA-Z0-9_-]+$/.test(block["id"])) {
    complain(`${path}.id`, "String should match pattern '^[a-zA-Z0-9_-]+$'");
  }
  if (typeof block["name"] === "string" && !/^[a-zA-Z0-9_-]{1,64}$/.test(block["name"])) {
    complain(`${path}.name`, "String should match pattern '^[a-zA-Z0-9_-]{1,64}$'");
  }
}

function checkToolResult(block: Record<string, unknown>, path: string, complain: Complain): void {
  const content = block["content"];
  const isError = block["is_error"] === true;
  const isEmpty = content === undefined || content === "" || (Array.isArray(content) && content.length === 0);
  if (isError && isEmpty) complain(path, "content cannot be empty if `is_error` is true");
  if (!Array.isArray(content)) return;
  checkInnerBlocks(content, blocksInResults, `${path}.content`, complain);
  if (isError && content.some((inner) => isObject(inner) && inner["type"] !== "text"))
    complain(path, 'all content must be type "text" if `is_error` is true');
}

/** Checks blocks inside another block. */
function checkInnerBlocks(content: unknown[], allowed: readonly string[], path: string, complain: Complain): void {
  content.forEach((inner: unknown, index) => {
    const at = `${path}.${index}`;
    if (!isObject(inner)) return complain(at, "Input should be a valid dictionary");
    const type = asText(inner["type"]);
    if (!allowed.includes(type)) return complain(at, unknownTag(type, allowed));
    checkShape(inner, resultOnlyRules[type] ?? (rules[type] as Shape), `${at}.${type}`, complain);
    checkCacheControl(inner, `${at}.${type}`, complain);
    if (type === "text") checkText(inner["text"], "cache_control" in inner, at, complain);
    if (type === "image" || type === "document") checkSource(inner["source"], type, `${at}.${type}`, complain);
    else if (type === "search_result") checkSearchResult(inner, `${at}.${type}`, complain);
  });
}

/** A search result may only contain text. */
function checkSearchResult({ content }: Record<string, unknown>, path: string, complain: Complain): void {
  if (Array.isArray(content)) checkInnerBlocks(content, ["text"], `${path}.content`, complain);
}

const sources: Record<string, Record<string, Record<string, Kind>>> = {
  image: {
    base64: { media_type: "string", data: "string" },
    url: { url: "string" },
    file: { file_id: "string" },
  },
  document: {
    base64: { media_type: "string", data: "string" },
    text: { media_type: "string", data: "string" },
    content: { content: "text or array" },
    url: { url: "string" },
    file: { file_id: "string" },
  },
};

const documentTypes: Record<string, string> = { base64: "application/pdf", text: "text/plain" };

function checkSource(source: unknown, block: "image" | "document", path: string, complain: Complain): void {
  if (!isObject(source)) return;
  const allowed = sources[block] ?? {};
  const type = asText(source["type"]);
  const fields = Object.hasOwn(allowed, type) ? allowed[type] : undefined;
  if (fields === undefined) {
    return complain(`${path}.source`, unknownTag(type, Object.keys(allowed)));
  }
  checkShape(source, { required: { type: "string", ...fields }, optional: {} }, `${path}.source.${type}`, complain);
  if (type === "content" && Array.isArray(source["content"]))
    checkInnerBlocks(source["content"], ["text", "image"], `${path}.source.content.content`, complain);
  const mediaType = source["media_type"];
  const only = block === "document" && Object.hasOwn(documentTypes, type) ? documentTypes[type] : undefined;
  if (only !== undefined && mediaType !== only) {
    complain(`${path}.source.${type}.media_type`, `Input should be '${only}'`);
  }
  if (block === "image" && type === "base64" && !/^image\/(jpeg|png|gif|webp)$/.test(asText(mediaType))) {
    complain(
      `${path}.source.base64.media_type`,
      "Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    );
  }
}
