/** Schemas without the formats of texts, and where in a schema others are. */
import { isRecord } from "../../lib/is-record.ts";

/** Keys that hold one schema, a list, or a map of them. */
export const single = ["additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"];
export const lists = ["allOf", "anyOf", "oneOf", "prefixItems"];
/** Keys that are not looked into otherwise. */
const more = ["additionalItems", "unevaluatedItems", "unevaluatedProperties"];
export const maps = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];

/** `format` says what a text is, and judges none: what one validator takes for an address, another does not. Changes `schema`. */
export function withoutFormats(schema: unknown): unknown {
  if (!isRecord(schema)) return schema;
  delete schema["format"];
  for (const key of [...single, ...lists, ...maps, ...more]) {
    const below = schema[key];
    const isMany = Array.isArray(below) || maps.includes(key);
    for (const each of isMany && below !== undefined ? Object.values(below as object) : [below]) withoutFormats(each);
  }
  return schema;
}
