/** Schemas as values are held against them, and where in a schema others are. */
import { isRecord } from "../../lib/is-record.ts";
import { unicodePattern } from "./unicode-pattern.ts";

/** Keys that hold one schema, a list, or a map of them. */
export const single = ["additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"];
export const lists = ["allOf", "anyOf", "oneOf", "prefixItems"];
/** Keys that are not looked into otherwise. */
const more = ["additionalItems", "dependencies", "unevaluatedItems", "unevaluatedProperties"];
export const maps = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];
const holders = [...single, ...lists, ...maps, ...more];
const known = new Set([...holders, "const", "default", "dependentRequired", "enum"]);

/**
 * `format` says what a text is, and judges none: what one validator takes for an address, another does not. `nullable` of OpenAPI
 * allows null, which the validator does not know. And an `id` below a keyword of somebody's own (`x-…`) names no schema, which it
 * takes it for: it refuses a second one. Where nothing is referred to, none is of use. Expressions are read with the flag `u`.
 * Changes `schema`.
 */
export function forChecking(schema: unknown): unknown {
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
    for (const [key, value] of Object.entries(each)) if (!known.has(key)) nameless(value);
  }
  return schema;
}

/** It, and all that lie in it. */
export function* schemasIn(schema: unknown): Generator<Record<string, unknown>> {
  if (!isRecord(schema)) return;
  yield schema;
  for (const key of holders) {
    const below = schema[key];
    const isMap = isRecord(below) && (key === "dependencies" || maps.includes(key));
    for (const each of isMap || Array.isArray(below) ? Object.values(below) : [below]) yield* schemasIn(each);
  }
}

function nameless(value: unknown): void {
  if (!isRecord(value)) return;
  delete value["id"];
  delete value["$id"];
  for (const each of Object.values(value)) nameless(each);
}
