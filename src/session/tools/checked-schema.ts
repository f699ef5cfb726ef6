/** Schemas in the form against which values are checked, and where a schema contains others. */
import { isRecord } from "../../lib/is-record.ts";
import { unicodePattern } from "./unicode-pattern.ts";

/** Keywords that hold one schema, a list of schemas, or a map of them. */
export const schemaKeywords = [
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
];
export const schemaListKeywords = ["allOf", "anyOf", "oneOf", "prefixItems"];
/** Further keywords that contain schemas, which only matter here. */
const furtherKeywords = ["additionalItems", "dependencies", "unevaluatedItems", "unevaluatedProperties"];
export const schemaMapKeywords = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];
const containerKeywords = [...schemaKeywords, ...schemaListKeywords, ...schemaMapKeywords, ...furtherKeywords];
const keptKeywords = new Set([...containerKeywords, "const", "default", "dependentRequired", "enum"]);

/**
 * Returns `schema`, changed for checking. `format` is removed: it describes a text but does not reject one, since validators disagree on
 * what, say, an address is. OpenAPI's `nullable`, which the validator does not know, becomes a type that allows null. An `id` below an
 * unknown keyword (`x-…`) is removed: it names no schema, but the validator would register it and refuse a duplicate. Without references,
 * all ids are removed. Patterns are converted for the flag `u`.
 */
export function toCheckableSchema(schema: unknown): unknown {
  const isNamed = /"\$(?:ref|dynamicRef|recursiveRef)":/u.test(JSON.stringify(schema));
  for (const each of schemasIn(schema)) {
    delete each["format"];
    if (!isNamed) for (const name of ["id", "$id"]) delete each[name];
    const { nullable, type, pattern, patternProperties } = each;
    if (typeof pattern === "string") each["pattern"] = unicodePattern(pattern);
    if (isRecord(patternProperties)) {
      const spelled = Object.entries(patternProperties).map(([name, value]) => [unicodePattern(name), value] as const);
      each["patternProperties"] = Object.fromEntries(spelled);
    }
    if (nullable === true && type !== undefined) each["type"] = [type, "null"].flat();
    for (const [key, value] of Object.entries(each)) if (!keptKeywords.has(key)) removeIds(value);
  }
  return schema;
}

/** Yields the schema and all schemas inside it. */
export function* schemasIn(schema: unknown): Generator<Record<string, unknown>> {
  if (!isRecord(schema)) return;
  yield schema;
  for (const key of containerKeywords) {
    const below = schema[key];
    const isMap = isRecord(below) && (key === "dependencies" || schemaMapKeywords.includes(key));
    for (const each of isMap || Array.isArray(below) ? Object.values(below) : [below]) yield* schemasIn(each);
  }
}

function removeIds(value: unknown): void {
  if (!isRecord(value)) return;
  delete value["id"];
  delete value["$id"];
  for (const each of Object.values(value)) removeIds(each);
}
