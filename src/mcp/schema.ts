/**
 * The schema of a tool's input, fit to be sent: of the draft the API takes, which refuses the whole request for one that is not,
 * with text that can be seen, and bounded. What only narrows an input, and cannot be used, is left to its server, which checks itself.
 */
import { isRecord } from "../lib/is-record.ts";
import { isObject, type Json, type JsonObject } from "../lib/json.ts";
import type { ToolInputSchema } from "../protocol/tool.ts";
import { cleanText, cleanValue } from "./clean-text.ts";
import { keepFoundReferences } from "./schema-references.ts";

const maxText = 1_024;
const maxCharacters = 64 * 1024;
const maxDepth = 24;
const propertyName = /^[a-zA-Z0-9_.-]{1,64}$/u;
const typeNames = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);

class Unfit extends Error {}

/** The schema, or why a tool that has it is left out. */
export function fitSchema(value: unknown): ToolInputSchema | string {
  if (value === undefined) return { type: "object" };
  if (!isRecord(value)) return "its input schema is no object";
  try {
    const clean = cleanSchema(value as JsonObject, 0);
    if (JSON.stringify(clean).length > maxCharacters) return "its input schema is longer than 64 KiB";
    // The API takes none of these at the top; they only narrow what the server checks itself.
    const { anyOf: _any, oneOf: _one, allOf: _all, ...rest } = clean;
    const { type = "object" } = rest;
    if (type !== "object" && !(Array.isArray(type) && type.includes("object")))
      return "its input schema describes no object";
    const odd = Object.keys(isObject(rest["properties"]) ? rest["properties"] : {}).find(
      (key) => !propertyName.test(key),
    );
    if (odd !== undefined)
      return `its input has a field ${JSON.stringify(odd.slice(0, 40))}, which the API does not take`;
    keepFoundReferences(rest);
    return { ...rest, type: "object" };
  } catch (error) {
    if (error instanceof Unfit) return error.message;
    throw error;
  }
}

/** Undefined: the keyword is left out. */
type Clean = (value: Json, key: string, depth: number) => Json | undefined;

const only =
  (isFit: (value: Json) => boolean): Clean =>
  (value) =>
    isFit(value) ? value : undefined;
const leftOut: Clean = () => undefined;
const words: Clean = (value) => (typeof value === "string" ? cleanText(value, maxText) : "");
const number = only((value) => typeof value === "number");
const count = only((value) => Number.isInteger(value) && (value as number) >= 0);
const flag = only((value) => typeof value === "boolean");
const label = only((value) => typeof value === "string" && cleanValue(value, maxText) === value);
const schema: Clean = (value, _key, depth) =>
  isObject(value) || typeof value === "boolean" ? subschema(value, depth) : undefined;

const schemas: Clean = (value, key, depth) => {
  if (!Array.isArray(value)) throw new Unfit(`its input schema has "${key}" that is no list`);
  return value.length === 0 ? undefined : value.map((item) => subschema(item, depth));
};

const table: Clean = (value, key, depth) => {
  if (!isObject(value)) throw new Unfit(`its input schema has "${key}" that is no object`);
  const entries = Object.entries(value).filter(
    ([name]) => name !== "__proto__" && (key !== "patternProperties" || isPattern(name)),
  );
  return Object.fromEntries(entries.map(([name, item]) => [name, subschema(item, depth)]));
};

const list: Clean = (value, key, depth) => {
  // Drafts before the fourth say it of each property by itself.
  if (key === "required" && typeof value === "boolean") return undefined;
  if (!Array.isArray(value)) throw new Unfit(`its input schema has "${key}" that is no list`);
  return key === "required" ? names(value) : exact(value, key, depth);
};

/** Cleaned, it would refuse the very value that its server means. */
const exact: Clean = (value, _key, depth) => {
  const clean = bounded(value, depth);
  return JSON.stringify(clean) === JSON.stringify(value) ? clean : undefined;
};

const required: Clean = (value) => {
  if (!isObject(value) || !Object.values(value).every((item) => Array.isArray(item))) return undefined;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, names(item as Json[])]));
};

const type: Clean = (value) => {
  const all = Array.isArray(value) ? value : [value];
  if (all.length === 0 || all.some((name) => typeof name !== "string" || !typeNames.has(name)))
    throw new Unfit(`its input schema has a type ${JSON.stringify(value).slice(0, 40)}, which there is not`);
  return Array.isArray(value) ? names(value) : value;
};

const keywords: ReadonlyMap<string, Clean> = new Map([
  ...each(["description", "title"], words),
  ...each(["items", "additionalProperties", "unevaluatedItems", "unevaluatedProperties", "not"], schema),
  ...each(["if", "then", "else", "contains", "propertyNames", "contentSchema"], schema),
  ...each(["anyOf", "oneOf", "allOf", "prefixItems"], schemas),
  ...each(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"], table),
  ...each(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"], number),
  ...each(["minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains"], count),
  ...each(["minProperties", "maxProperties"], count),
  ...each(["uniqueItems", "deprecated", "readOnly", "writeOnly"], flag),
  ...each(["format", "contentEncoding", "contentMediaType", "$ref"], label),
  // They name the schema and its draft, which is another one here.
  ...each(["$id", "$schema", "$anchor", "$dynamicAnchor", "$dynamicRef", "$vocabulary", "$comment"], leftOut),
  ...each(["$recursiveRef", "$recursiveAnchor", "dependencies", "additionalItems"], leftOut),
  ...each(["required", "enum"], list),
  ["const", exact],
  ["multipleOf", only((value) => typeof value === "number" && value > 0)],
  ["pattern", only((value) => typeof value === "string" && value.length <= maxText && isPattern(value))],
  ["examples", (value, _key, depth) => (Array.isArray(value) ? bounded(value, depth) : undefined)],
  ["dependentRequired", required],
  ["type", type],
]);

function each(names: readonly string[], clean: Clean): [string, Clean][] {
  return names.map((name) => [name, clean]);
}

function cleanSchema(given: Json, depth: number): JsonObject {
  if (depth > maxDepth) throw new Unfit(`its input schema is nested more than ${maxDepth} levels deep`);
  if (!isObject(given)) throw new Unfit("its input schema is not well formed");
  const clean: JsonObject = {};
  for (const [key, value] of Object.entries(withoutTuple(given))) {
    if (key === "__proto__") continue;
    const kept = (keywords.get(key) ?? other)(value, key, depth);
    if (kept !== undefined) clean[key] = kept;
  }
  return clean;
}

const other: Clean = (value, _key, depth) => bounded(value, depth);

/** Older drafts wrote a list of items in `items`, and what follows them in `additionalItems`. */
function withoutTuple(given: JsonObject): JsonObject {
  const { items, additionalItems, ...rest } = given;
  if (!Array.isArray(items)) return given;
  return { ...rest, prefixItems: items, ...(additionalItems === undefined ? {} : { items: additionalItems }) };
}

function subschema(value: Json, depth: number): Json {
  return typeof value === "boolean" ? value : cleanSchema(value, depth + 1);
}

function names(given: readonly Json[]): string[] {
  return [...new Set(given.filter((name) => typeof name === "string"))];
}

/** As whoever checks inputs reads it; a pattern of another language is its server's to check. */
function isPattern(text: string): boolean {
  try {
    void new RegExp(text, "u");
    return cleanValue(text, maxText) === text;
  } catch {
    return false;
  }
}

/** Defaults, examples, enumerations: any value, but not endlessly deep. */
function bounded(value: Json, depth: number): Json {
  if (depth > maxDepth) throw new Unfit(`its input schema is nested more than ${maxDepth} levels deep`);
  if (typeof value === "string") return cleanValue(value, maxText);
  if (Array.isArray(value)) return value.map((item) => bounded(item, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, bounded(item, depth + 1)]));
}
