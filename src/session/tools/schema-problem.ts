/** Checks whether a caller's JSON Schema is valid. */
import { isRecord } from "../../lib/is-record.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import { isStringList } from "../../lib/is-string-list.ts";
import { schemaListKeywords, schemaMapKeywords, schemaKeywords } from "./checked-schema.ts";
import { isUnicodePattern, unicodePattern } from "./unicode-pattern.ts";

type Schema = Record<string, unknown>;

const typeNames = ["array", "boolean", "integer", "null", "number", "object", "string"];
const maxDepth = 200;

/** Returns a clause that begins with the place of the problem, or undefined if the schema can be used. */
export function schemaProblem(schema: unknown): string | undefined {
  return problemOf(schema, "", 0);
}

function problemOf(schema: unknown, place: string, depth: number): string | undefined {
  if (typeof schema === "boolean" && depth > 0) return undefined;
  const at = place === "" ? "it" : place.slice(1);
  if (!isRecord(schema)) return `${at} is not an object`;
  if (depth > maxDepth) return `${at} is nested too deeply`;
  return ownProblem(schema, at) ?? problemBelow(schema, place, depth);
}

function ownProblem({ type, required, pattern, enum: values, $ref }: Schema, at: string): string | undefined {
  const types: unknown[] = type === undefined ? [] : Array.isArray(type) ? type : [type];
  const strange = types.find((name) => !typeNames.some((known) => known === name));
  if (strange !== undefined) return `${at} has the type ${JSON.stringify(strange)}, which does not exist`;
  if (required !== undefined && !isStringList(required)) return `${at} has a "required" that is not a list of names`;
  if (values !== undefined && !Array.isArray(values)) return `${at} has an "enum" that is not a list`;
  if ($ref !== undefined && typeof $ref !== "string") return `${at} has a "$ref" that is not a string`;
  return pattern === undefined || isPattern(pattern)
    ? undefined
    : `${at} has a "pattern" that is not a regular expression`;
}

function problemBelow(schema: Schema, place: string, depth: number): string | undefined {
  const below: [string, unknown][] = [];
  for (const key of schemaKeywords)
    if (schema[key] !== undefined && !Array.isArray(schema[key])) below.push([key, schema[key]]);
  for (const key of [...schemaListKeywords, "items"]) {
    const list = schema[key];
    if (Array.isArray(list))
      below.push(...list.map((each: unknown, index): [string, unknown] => [`${key}/${index}`, each]));
    else if (list !== undefined && key !== "items")
      return `${place.slice(1) || "it"} has a "${key}" that is not a list`;
  }
  for (const key of schemaMapKeywords) {
    const map = schema[key];
    // An undefined value is absent in JSON.
    if (isRecord(map))
      below.push(
        ...Object.entries(withoutUndefined(map)).map(([name, each]): [string, unknown] => [`${key}/${name}`, each]),
      );
    else if (map !== undefined) return `${place.slice(1) || "it"} has "${key}" that are not an object`;
  }
  for (const [key, each] of below) {
    const wrong = problemOf(each, `${place}/${key}`, depth + 1);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function isPattern(pattern: unknown): boolean {
  return typeof pattern === "string" && isUnicodePattern(unicodePattern(pattern));
}
