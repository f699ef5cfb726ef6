/**
 * Merges alternatives and parts at the top of a schema, where the API accepts none, into one object with all their fields. The
 * result accepts more than the original: words in the description say which fields go together, and the server checks.
 */
import { isObject, type Json, type JsonObject } from "../lib/json.ts";
import { cleanText } from "./clean-text.ts";
import { resolveReference } from "./schema-references.ts";
import { isSameJson } from "../lib/is-same-json.ts";

interface MergedFields {
  properties: Map<string, Json>;
  required: Set<string>;
  /** The required fields of each alternative. */
  alternatives: string[][];
}

const maxParts = 200;

/** Returns the schema itself if there is nothing to merge. */
export function mergeTopLevel(schema: JsonObject): JsonObject {
  const { anyOf, oneOf, allOf, $ref, properties: _properties, required: _required, ...rest } = schema;
  if (anyOf === undefined && oneOf === undefined && allOf === undefined && $ref === undefined) return schema;
  const { properties, required, alternatives } = collectFields(schema, schema, new Set());
  const merged: JsonObject = { ...rest };
  if (properties.size > 0) merged["properties"] = Object.fromEntries(properties);
  if (required.size > 0) merged["required"] = [...required];
  const description = alternativesText(alternatives);
  const before = typeof rest["description"] === "string" ? `${rest["description"]} ` : "";
  if (description !== "") merged["description"] = `${before}${description}`;
  return merged;
}

/** @param visited parts visited so far, so that a part that leads back to itself ends the walk. */
function collectFields(schema: JsonObject, root: JsonObject, visited: Set<Json>): MergedFields {
  const fields: MergedFields = {
    properties: new Map(),
    required: new Set(stringItems(schema["required"])),
    alternatives: [],
  };
  if (visited.has(schema) || visited.size > maxParts) return fields;
  visited.add(schema);
  const { properties, $ref } = schema;
  if (isObject(properties)) for (const [name, each] of Object.entries(properties)) fields.properties.set(name, each);
  const own = new Set(fields.properties.keys());
  const all = objectItems(schema["allOf"]);
  const target = typeof $ref === "string" ? resolveReference(root, $ref) : undefined;
  if (isObject(target)) all.push(target);
  for (const part of all) {
    const found = collectFields(part, root, visited);
    addProperties(fields, found, own);
    for (const name of found.required) fields.required.add(name);
    fields.alternatives.push(...found.alternatives);
  }
  for (const key of ["anyOf", "oneOf"]) addAlternatives(fields, objectItems(schema[key]), own, root, visited);
  return fields;
}

/** A field that every alternative requires is required. */
function addAlternatives(
  fields: MergedFields,
  alternatives: readonly JsonObject[],
  ownNames: ReadonlySet<string>,
  root: JsonObject,
  visited: Set<Json>,
): void {
  const found = alternatives.filter(({ type }) => type !== "null").map((part) => collectFields(part, root, visited));
  for (const each of found) addProperties(fields, each, ownNames);
  const [first, ...others] = found;
  for (const name of first?.required ?? [])
    if (others.every(({ required }) => required.has(name))) fields.required.add(name);
  const ways = found.map(({ required }) => [...required].filter((name) => !fields.required.has(name)));
  if (ways.length > 1 && ways.every((way) => way.length > 0)) fields.alternatives.push(...ways);
}

/** The whole schema's definition of a field overrides those of its parts. */
function addProperties(fields: MergedFields, { properties }: MergedFields, ownNames: ReadonlySet<string>): void {
  for (const [name, each] of properties) {
    if (ownNames.has(name)) continue;
    const before = fields.properties.get(name);
    fields.properties.set(name, before === undefined ? each : unionOf(before, each));
  }
}

function unionOf(one: Json, other: Json): Json {
  if (isSameJson(one, other)) return one;
  const [oneValues, otherValues] = [enumValues(one), enumValues(other)];
  if (isObject(one) && oneValues !== undefined && otherValues !== undefined) {
    const { const: _, ...rest } = one;
    return { ...rest, enum: [...oneValues, ...otherValues.filter((value) => !oneValues.includes(value))] };
  }
  const known = isObject(one) && Object.keys(one).length === 1 && Array.isArray(one["anyOf"]) ? one["anyOf"] : [one];
  return { anyOf: [...known, other] };
}

/** The values of a field that distinguishes alternatives. */
function enumValues(schema: Json): Json[] | undefined {
  if (!isObject(schema)) return undefined;
  if (Object.hasOwn(schema, "const")) return [schema["const"] ?? null];
  return Array.isArray(schema["enum"]) ? schema["enum"] : undefined;
}

function objectItems(list: Json | undefined): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function stringItems(list: Json | undefined): string[] {
  return Array.isArray(list) ? list.filter((name) => typeof name === "string") : [];
}

function alternativesText(ways: readonly string[][]): string {
  const wayTexts = new Set(ways.map((way) => way.join(" and ")));
  return wayTexts.size < 2 ? "" : cleanText(`One of these is needed: ${[...wayTexts].join(", or ")}.`, 500);
}
