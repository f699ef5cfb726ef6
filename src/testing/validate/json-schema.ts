/** Checks whether an input schema is valid under the draft that the API accepts, by its meta-schema: json-schema.org/draft/2020-12. */
import { isObject } from "../wire/types.ts";

export const notOfDraft =
  "JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). Learn more about tool use at https://docs.claude.com/en/docs/tool-use.";

type Fits = (value: unknown) => boolean;

const types = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);

const text: Fits = (value) => typeof value === "string";
const number: Fits = (value) => typeof value === "number";
const flag: Fits = (value) => typeof value === "boolean";
const count: Fits = (value) => Number.isInteger(value) && (value as number) >= 0;
const list: Fits = (value) => Array.isArray(value);
const names: Fits = (value) => Array.isArray(value) && value.every(text) && new Set(value).size === value.length;
const type: Fits = (value) =>
  names(value)
    ? (value as string[]).length > 0 && (value as string[]).every((name) => types.has(name))
    : typeof value === "string" && types.has(value);
const schema: Fits = (value) => typeof value === "boolean" || isSchema(value);
const schemas: Fits = (value) => Array.isArray(value) && value.length > 0 && value.every(schema);
const table =
  (fits: Fits): Fits =>
  (value) =>
    isObject(value) && Object.values(value).every(fits);

const keywords: ReadonlyMap<string, Fits> = new Map<string, Fits>([
  ["type", type],
  ["enum", list],
  ["examples", list],
  ["required", names],
  ["multipleOf", (value) => typeof value === "number" && value > 0],
  ["$id", (value) => typeof value === "string" && /^[^#]*#?$/u.test(value)],
  ["$vocabulary", table(flag)],
  ["dependentRequired", table(names)],
  ["dependencies", table((value) => schema(value) || names(value))],
  ...each("$anchor $dynamicAnchor", (value) => typeof value === "string" && /^[A-Za-z_][-\w.]*$/u.test(value)),
  ...each("minimum maximum exclusiveMinimum exclusiveMaximum", number),
  ...each("minLength maxLength minItems maxItems minContains maxContains minProperties maxProperties", count),
  ...each("uniqueItems deprecated readOnly writeOnly", flag),
  ...each("title description format pattern contentEncoding contentMediaType", text),
  ...each("$ref $schema $dynamicRef $comment $recursiveRef $recursiveAnchor", text),
  ...each("items additionalProperties unevaluatedItems unevaluatedProperties not if then else", schema),
  ...each("contains propertyNames contentSchema", schema),
  ...each("anyOf oneOf allOf prefixItems", schemas),
  ...each("properties patternProperties $defs definitions dependentSchemas", table(schema)),
]);

function each(list: string, fits: Fits): [string, Fits][] {
  return list.split(" ").map((name) => [name, fits]);
}

/** Other keywords may hold anything. */
export function isSchema(value: unknown): boolean {
  return isObject(value) && Object.entries(value).every(([key, inner]) => keywords.get(key)?.(inner) ?? true);
}
