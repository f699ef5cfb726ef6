/** Checks whether an input schema is valid under the draft that the API accepts, by its meta-schema: json-schema.org/draft/2020-12. */
import { isObject } from "../wire/types.ts";

export const invalidSchemaMessage =
  "JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). Learn more about tool use at https://docs.claude.com/en/docs/tool-use.";

type ValueCheck = (value: unknown) => boolean;

const types = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);

const text: ValueCheck = (value) => typeof value === "string";
const number: ValueCheck = (value) => typeof value === "number";
const flag: ValueCheck = (value) => typeof value === "boolean";
const count: ValueCheck = (value) => Number.isInteger(value) && (value as number) >= 0;
const list: ValueCheck = (value) => Array.isArray(value);
const names: ValueCheck = (value) => Array.isArray(value) && value.every(text) && new Set(value).size === value.length;
const type: ValueCheck = (value) =>
  names(value)
    ? (value as string[]).length > 0 && (value as string[]).every((name) => types.has(name))
    : typeof value === "string" && types.has(value);
const schema: ValueCheck = (value) => typeof value === "boolean" || isSchema(value);
const schemas: ValueCheck = (value) => Array.isArray(value) && value.length > 0 && value.every(schema);
const mapOf =
  (fits: ValueCheck): ValueCheck =>
  (value) =>
    isObject(value) && Object.values(value).every(fits);

const keywords: ReadonlyMap<string, ValueCheck> = new Map<string, ValueCheck>([
  ["type", type],
  ["enum", list],
  ["examples", list],
  ["required", names],
  ["multipleOf", (value) => typeof value === "number" && value > 0],
  ["$id", (value) => typeof value === "string" && /^[^#]*#?$/u.test(value)],
  ["$vocabulary", mapOf(flag)],
  ["dependentRequired", mapOf(names)],
  ["dependencies", mapOf((value) => schema(value) || names(value))],
  ...keywordsWith("$anchor $dynamicAnchor", (value) => typeof value === "string" && /^[A-Za-z_][-\w.]*$/u.test(value)),
  ...keywordsWith("minimum maximum exclusiveMinimum exclusiveMaximum", number),
  ...keywordsWith("minLength maxLength minItems maxItems minContains maxContains minProperties maxProperties", count),
  ...keywordsWith("uniqueItems deprecated readOnly writeOnly", flag),
  ...keywordsWith("title description format pattern contentEncoding contentMediaType", text),
  ...keywordsWith("$ref $schema $dynamicRef $comment $recursiveRef $recursiveAnchor", text),
  ...keywordsWith("items additionalProperties unevaluatedItems unevaluatedProperties not if then else", schema),
  ...keywordsWith("contains propertyNames contentSchema", schema),
  ...keywordsWith("anyOf oneOf allOf prefixItems", schemas),
  ...keywordsWith("properties patternProperties $defs definitions dependentSchemas", mapOf(schema)),
]);

function keywordsWith(list: string, fits: ValueCheck): [string, ValueCheck][] {
  return list.split(" ").map((name) => [name, fits]);
}

/** Other keywords may hold anything. */
export function isSchema(value: unknown): boolean {
  return isObject(value) && Object.entries(value).every(([key, inner]) => keywords.get(key)?.(inner) ?? true);
}
