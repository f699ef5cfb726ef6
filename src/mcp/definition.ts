/** What a server says of its tools, made fit to be told to a model: text that can be seen, schemas the API takes, all of it bounded. */
import { createHash } from "node:crypto";
import { isObject, type Json, type JsonObject } from "../lib/json.ts";
import { isRecord } from "../lib/is-record.ts";
import { sanitize } from "../lib/sanitize.ts";
import type { ToolInputSchema } from "../protocol/tool.ts";

export interface McpToolDefinition {
  /** The server's own name for it. */
  name: string;
  description: string;
  inputSchema: ToolInputSchema;
  readOnlyHint: boolean;
  alwaysLoad: boolean;
  /** Its server wants a person asked each time. */
  asksAlways: boolean;
  /** As it was listed: what a call of it is checked against by the client. */
  listed: Record<string, unknown>;
  /** Of all that the model and the user were told of it. */
  hash: string;
}

const maxDescription = 2_048;
const maxSchemaText = 1_024;
const maxSchemaCharacters = 64 * 1024;
const maxSchemaDepth = 24;
const propertyName = /^[a-zA-Z0-9_.-]{1,64}$/u;
const typeNames = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);

/** Controls and characters that cannot be seen are taken out, in which instructions could hide from whoever reads along. */
export function cleanText(text: string, limit: number): string {
  const head = text.length > limit * 4 ? text.slice(0, limit * 4) : text;
  const clean = sanitize(head)
    .replace(/<U\+[0-9A-F]{4,6}>/gu, "")
    .trim();
  return clean.length > limit || head !== text ? `${clean.slice(0, limit - 1).toWellFormed()}…` : clean;
}

/** The definition, or why the tool is left out. */
export function readDefinition(listed: unknown): McpToolDefinition | { name: string; why: string } {
  if (!isRecord(listed) || typeof listed["name"] !== "string" || listed["name"].trim() === "")
    return { name: "", why: "it has no name" };
  const name = listed["name"];
  if (name.length > 256) return { name: name.slice(0, 60), why: "its name is longer than 256 characters" };
  const schema = readSchema(listed["inputSchema"]);
  if (typeof schema === "string") return { name, why: schema };
  const { annotations, _meta: meta } = listed;
  const described = typeof listed["description"] === "string" ? listed["description"] : "";
  const title = isRecord(annotations) && typeof annotations["title"] === "string" ? annotations["title"] : "";
  const definition = {
    name,
    description: cleanText(described === "" ? title : described, maxDescription),
    inputSchema: schema,
    readOnlyHint: isRecord(annotations) && annotations["readOnlyHint"] === true,
    alwaysLoad: isRecord(meta) && meta["anthropic/alwaysLoad"] === true,
    asksAlways: isRecord(meta) && meta["anthropic/requiresUserInteraction"] === true,
  };
  const hash = createHash("sha256")
    .update(JSON.stringify([name, described, title, definition.readOnlyHint, listed["inputSchema"]]))
    .digest("hex");
  return { ...definition, listed, hash };
}

class Unfit extends Error {}

function readSchema(value: unknown): ToolInputSchema | string {
  if (value === undefined) return { type: "object" };
  if (!isRecord(value)) return "its input schema is no object";
  try {
    const clean = cleanSchema(value as JsonObject, 0);
    if (JSON.stringify(clean).length > maxSchemaCharacters) return "its input schema is longer than 64 KiB";
    // The API takes none of these at the top; they only narrow what the server checks itself.
    const { anyOf: _any, oneOf: _one, allOf: _all, ...rest } = clean;
    if (rest["type"] !== undefined && rest["type"] !== "object") return "its input schema describes no object";
    const odd = Object.keys(isObject(rest["properties"]) ? rest["properties"] : {}).find(
      (key) => !propertyName.test(key),
    );
    if (odd !== undefined)
      return `its input has a field ${JSON.stringify(odd.slice(0, 40))}, which the API does not take`;
    return { ...rest, type: "object" };
  } catch (error) {
    if (error instanceof Unfit) return error.message;
    throw error;
  }
}

/** Keys whose value is a schema, a list of schemas, or schemas by name. */
const schemaKeys = new Set(["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"]);
const schemaLists = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const schemaTables = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

function cleanSchema(schema: Json, depth: number): JsonObject {
  if (depth > maxSchemaDepth) throw new Unfit(`its input schema is nested more than ${maxSchemaDepth} levels deep`);
  if (!isObject(schema)) throw new Unfit("its input schema is not well formed");
  const clean: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "__proto__") continue;
    clean[key] = cleanKeyword(key, value, depth);
  }
  return clean;
}

function cleanKeyword(key: string, value: Json, depth: number): Json {
  if (key === "description" || key === "title") return typeof value === "string" ? cleanText(value, maxSchemaText) : "";
  if (key === "type") return checkedType(value);
  if (schemaTables.has(key)) {
    if (!isObject(value)) throw new Unfit(`its input schema has "${key}" that is no object`);
    const entries = Object.entries(value).filter(([name]) => name !== "__proto__");
    return Object.fromEntries(entries.map(([name, item]) => [name, subschema(item, depth)]));
  }
  if (schemaLists.has(key)) {
    if (!Array.isArray(value)) throw new Unfit(`its input schema has "${key}" that is no list`);
    return value.map((item) => subschema(item, depth));
  }
  if (schemaKeys.has(key))
    return Array.isArray(value) ? value.map((item) => subschema(item, depth)) : subschema(value, depth);
  if ((key === "required" || key === "enum") && !Array.isArray(value))
    throw new Unfit(`its input schema has "${key}" that is no list`);
  return bounded(value, depth);
}

function subschema(value: Json, depth: number): Json {
  return typeof value === "boolean" ? value : cleanSchema(value, depth + 1);
}

function checkedType(value: Json): Json {
  const names = Array.isArray(value) ? value : [value];
  if (names.length === 0 || names.some((name) => typeof name !== "string" || !typeNames.has(name)))
    throw new Unfit(`its input schema has a type ${JSON.stringify(value).slice(0, 40)}, which there is not`);
  return value;
}

/** Defaults, examples, enumerations: any value, but not endlessly deep. */
function bounded(value: Json, depth: number): Json {
  if (depth > maxSchemaDepth) throw new Unfit(`its input schema is nested more than ${maxSchemaDepth} levels deep`);
  if (typeof value === "string") return cleanText(value, maxSchemaText);
  if (Array.isArray(value)) return value.map((item) => bounded(item, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, bounded(item, depth + 1)]));
}
