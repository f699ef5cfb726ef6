/** Schemas as values are held against them, and where in a schema others are. */
import { isRecord } from "../../lib/is-record.ts";

/** Keys that hold one schema, a list, or a map of them. */
export const single = ["additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"];
export const lists = ["allOf", "anyOf", "oneOf", "prefixItems"];
/** Keys that are not looked into otherwise. */
const more = ["additionalItems", "dependencies", "unevaluatedItems", "unevaluatedProperties"];
export const maps = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];
const holders = [...single, ...lists, ...maps, ...more];
const known = new Set([...holders, "const", "default", "dependentRequired", "enum"]);

/**
 * `format` says what a text is, and judges none: what one validator takes for an address, another does not. And an `id` below a
 * keyword of somebody's own (`x-…`) names no schema, which the validator takes it for: it refuses a second one. Where nothing is
 * referred to, none is of use. Changes `schema`.
 */
export function forChecking(schema: unknown): unknown {
  return checked(schema, /"\$(?:ref|dynamicRef|recursiveRef)":/u.test(JSON.stringify(schema)));
}

function checked(schema: unknown, isNamed: boolean): unknown {
  if (!isRecord(schema)) return schema;
  delete schema["format"];
  if (!isNamed) for (const name of ["id", "$id"]) delete schema[name];
  for (const key of holders) {
    const below = schema[key];
    const isMap = isRecord(below) && (key === "dependencies" || maps.includes(key));
    for (const each of isMap || Array.isArray(below) ? Object.values(below) : [below]) checked(each, isNamed);
  }
  for (const [key, value] of Object.entries(schema)) if (!known.has(key)) nameless(value);
  return schema;
}

function nameless(value: unknown): void {
  if (!isRecord(value)) return;
  delete value["id"];
  delete value["$id"];
  for (const each of Object.values(value)) nameless(each);
}
