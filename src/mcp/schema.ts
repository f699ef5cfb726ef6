/**
 * Makes a tool's input schema fit to be sent: valid in the draft that the API accepts (an invalid one gets the whole request
 * refused), with visible text, and bounded. An unusable keyword that only narrows the input is left to the server, which checks
 * itself: a tool is worth more than a wrongly written keyword.
 */
import { isRecord } from "../lib/is-record.ts";
import { isDeeperThan } from "../lib/is-deeper.ts";
import { isObject, type Json, type JsonObject } from "../lib/json.ts";
import type { ToolInputSchema } from "../protocol/tool.ts";
import { cleanText, cleanValue } from "./clean-text.ts";
import { renameFields, type FieldNames } from "./field-names.ts";
import { withPathReferences } from "./schema-addresses.ts";
import { mergeTopLevel } from "./schema-merge.ts";
import { removeBadReferences } from "./schema-references.ts";
import { isSameJson } from "../lib/is-same-json.ts";

const maxText = 1_024;
const maxCharacters = 64 * 1024;
const maxDepth = 24;
/** Maximum number of values of an enumeration, if the schema is too long. */
const maxValues = 20;
const typeNames = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);

export interface FitSchema {
  schema: ToolInputSchema;
  fields: FieldNames;
}

/** Returns the schema to be sent, or why a tool with this schema is left out. */
export function fitSchema(value: unknown): FitSchema | string {
  // Some languages write an empty table as a list, and a missing one as null.
  const isEmpty =
    value === undefined || value === null || value === true || (Array.isArray(value) && value.length === 0);
  if (!isEmpty && !isRecord(value)) return "its input schema is not an object";
  const whole = isEmpty ? {} : withPathReferences(value as JsonObject);
  const clean = whole === undefined ? undefined : shortened(mergeTopLevel(cleanSchema(whole, 0)));
  if (clean === undefined) return "its input schema is longer than 64 KiB";
  const { type = "object" } = clean;
  if (type !== "object" && !(Array.isArray(type) && type.includes("object")))
    return "its input schema does not describe an object";
  const { schema: renamed, fields } = renameFields(clean);
  removeBadReferences(renamed);
  return { schema: { ...renamed, type: "object" }, fields };
}

/** Returns undefined if the keyword is to be left out. */
type KeywordCleaner = (value: Json, key: string, depth: number) => Json | undefined;

const keepIf =
  (isFit: (value: Json) => boolean): KeywordCleaner =>
  (value) =>
    isFit(value) ? value : undefined;
const omit: KeywordCleaner = () => undefined;
const words: KeywordCleaner = (value) => (typeof value === "string" ? cleanText(value, maxText) : "");
const number = keepIf((value) => typeof value === "number");
const count = keepIf((value) => Number.isInteger(value) && (value as number) >= 0);
const flag = keepIf((value) => typeof value === "boolean");
const label = keepIf((value) => typeof value === "string" && cleanValue(value, maxText) === value);
const schema: KeywordCleaner = (value, _key, depth) => (isSchema(value) ? subschema(value, depth) : undefined);

/** All or nothing: an unreadable alternative may be the intended one, and the remaining ones would narrow too much. */
const schemas: KeywordCleaner = (value, _key, depth) =>
  Array.isArray(value) && value.length > 0 && value.every(isSchema)
    ? value.map((item) => subschema(item, depth))
    : undefined;

const table: KeywordCleaner = (value, key, depth) => {
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value).filter(
    ([name]) => name !== "__proto__" && (key !== "patternProperties" || isPattern(name)),
  );
  return Object.fromEntries(entries.map(([name, item]) => [name, isSchema(item) ? subschema(item, depth) : {}]));
};

/** Drafts before the fourth state it per property, as a boolean. */
const requirement: KeywordCleaner = (value) => (Array.isArray(value) ? uniqueStrings(value) : undefined);

/** Kept only if cleaning changes nothing: a changed value would exclude the very value that the server means. */
const exact: KeywordCleaner = (value) => {
  const clean = bounded(value);
  return isSameJson(clean, value) ? clean : undefined;
};

const dependents: KeywordCleaner = (value) => {
  if (!isObject(value) || !Object.values(value).every((item) => Array.isArray(item))) return undefined;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, uniqueStrings(item as Json[])]));
};

/** Some servers write types in capitals. An unknown type is dropped. */
const type: KeywordCleaner = (value) => {
  const all = (Array.isArray(value) ? value : [value]).map((name) =>
    typeof name === "string" ? name.toLowerCase() : "",
  );
  if (all.length === 0 || !all.every((name) => typeNames.has(name))) return undefined;
  return Array.isArray(value) ? uniqueStrings(all) : (all[0] ?? undefined);
};

const keywords: ReadonlyMap<string, KeywordCleaner> = new Map([
  ...forKeywords(["description", "title"], words),
  ...forKeywords(["items", "additionalProperties", "unevaluatedItems", "unevaluatedProperties", "not"], schema),
  ...forKeywords(["if", "then", "else", "contains", "propertyNames", "contentSchema"], schema),
  ...forKeywords(["anyOf", "oneOf", "allOf", "prefixItems"], schemas),
  ...forKeywords(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"], table),
  ...forKeywords(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"], number),
  ...forKeywords(["minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains"], count),
  ...forKeywords(["minProperties", "maxProperties"], count),
  ...forKeywords(["uniqueItems", "deprecated", "readOnly", "writeOnly"], flag),
  ...forKeywords(["format", "contentEncoding", "contentMediaType", "$ref"], label),
  // They identify the schema and its draft, which is a different one here.
  ...forKeywords(["id", "$id", "$schema", "$anchor", "$dynamicAnchor", "$dynamicRef", "$vocabulary", "$comment"], omit),
  ...forKeywords(["$recursiveRef", "$recursiveAnchor", "dependencies", "additionalItems"], omit),
  ["required", requirement],
  ["enum", (value, key, depth) => (Array.isArray(value) && value.length > 0 ? exact(value, key, depth) : undefined)],
  ["const", exact],
  ["multipleOf", keepIf((value) => typeof value === "number" && value > 0)],
  ["pattern", keepIf((value) => typeof value === "string" && value.length <= maxText && isPattern(value))],
  ["examples", (value) => (Array.isArray(value) ? bounded(value) : undefined)],
  ["dependentRequired", dependents],
  ["type", type],
]);

function forKeywords(names: readonly string[], clean: KeywordCleaner): [string, KeywordCleaner][] {
  return names.map((name) => [name, clean]);
}

function cleanSchema(schema: JsonObject, depth: number): JsonObject {
  // Below this depth the server itself has to report mistakes.
  if (depth > maxDepth) return {};
  const clean: JsonObject = {};
  for (const [key, value] of Object.entries(withoutTuple(schema))) {
    if (key === "__proto__") continue;
    const kept = (keywords.get(key) ?? unknownKeyword)(value, key, depth);
    if (kept !== undefined) clean[key] = kept;
  }
  return withoutDefaulted(clean);
}

const unknownKeyword: KeywordCleaner = (value) => bounded(value);

/** A field with a default may be left out, even if listed as required: some libraries list it because their parsed values have it. */
function withoutDefaulted(schema: JsonObject): JsonObject {
  const { required, properties } = schema;
  if (!Array.isArray(required) || !isObject(properties)) return schema;
  const isDefaulted = (name: string): boolean => {
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isObject(own) && Object.hasOwn(own, "default");
  };
  const wanted = uniqueStrings(required).filter((name) => !isDefaulted(name));
  if (wanted.length === required.length) return schema;
  const { required: _, ...rest } = schema;
  return wanted.length === 0 ? rest : { ...rest, required: wanted };
}

/** Older drafts wrote a list of items in `items`, and the schema of further items in `additionalItems`. */
function withoutTuple(schema: JsonObject): JsonObject {
  const { items, additionalItems, ...rest } = schema;
  if (!Array.isArray(items)) return schema;
  return { ...rest, prefixItems: items, ...(additionalItems === undefined ? {} : { items: additionalItems }) };
}

function isSchema(value: Json): value is JsonObject | boolean {
  return isObject(value) || typeof value === "boolean";
}

function subschema(value: JsonObject | boolean, depth: number): Json {
  return typeof value === "boolean" ? value : cleanSchema(value, depth + 1);
}

function uniqueStrings(values: readonly Json[]): string[] {
  return [...new Set(values.filter((name) => typeof name === "string"))];
}

/** Valid in JavaScript but not in Python's `re`, which others use: Unicode classes, named groups, lookbehind, empty sets. */
const javaScriptOnly = /\\(?:[ckpP]|u\{)|\(\?<|(?<!\\)\[\^?\]/u;

/** Valid for the validators here and at the API. A pattern in another dialect is left to its server. */
function isPattern(text: string): boolean {
  try {
    void new RegExp(text, "u");
    return !javaScriptOnly.test(text) && cleanValue(text, maxText) === text;
  } catch {
    return false;
  }
}

/** For defaults, examples and enumerations: any value of bounded depth. */
function bounded(value: Json): Json | undefined {
  return isDeeperThan(value, maxDepth) ? undefined : cleaned(value);
}

function cleaned(value: Json): Json {
  if (typeof value === "string") return cleanValue(value, maxText);
  if (Array.isArray(value)) return value.map(cleaned);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cleaned(item)]));
}

/** If the schema is too long, turns long enumerations into examples. Undefined if that is not enough. */
function shortened(schema: JsonObject): JsonObject | undefined {
  const isShort = (of: JsonObject): boolean => JSON.stringify(of).length <= maxCharacters;
  if (isShort(schema)) return schema;
  const short = enumsToExamples(schema) as JsonObject;
  return isShort(short) ? short : undefined;
}

function enumsToExamples(value: Json): Json {
  if (Array.isArray(value)) return value.map(enumsToExamples);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]): [string, Json] =>
    key === "enum" && Array.isArray(item) && item.length > maxValues
      ? ["examples", item.slice(0, maxValues)]
      : [key, enumsToExamples(item)],
  );
  return Object.fromEntries(entries);
}
