/** A JSON Schema that a caller gave: whether it is one, and whether a value fits it. */
import { dereference, Validator, type Schema, type SchemaDraft } from "@cfworker/json-schema";
import { errorText } from "../../lib/error-text.ts";
import { copyJson } from "../../protocol/copy-json.ts";
import type { InputVerdict } from "../../protocol/tool.ts";
import { told } from "./schema-errors.ts";
import { forChecking, lists, maps, schemasIn, single } from "./checked-schema.ts";
import { isRecord } from "../../lib/is-record.ts";

export type JsonSchema = Record<string, unknown>;

const types = ["array", "boolean", "integer", "null", "number", "object", "string"];
const deepest = 200;

export class SchemaChecker {
  readonly #validator: Validator;

  /** Throws an `Error` whose message says what is wrong with the schema. */
  constructor(schema: JsonSchema) {
    const wrong = problemOf(schema, "", 0);
    if (wrong !== undefined) throw new Error(wrong);
    const checked = forChecking(copyJson(schema)) as Schema;
    const lost = lostReference(checked);
    if (lost !== undefined) throw new Error(`a "$ref" of it leads nowhere: ${JSON.stringify(lost)}`);
    this.#validator = new Validator(checked, draftOf(schema), false);
    for (const probe of [{}, [], "", 0]) this.#validator.validate(probe);
  }

  /** What cannot be checked does not fit. */
  check(value: unknown): InputVerdict {
    try {
      const { valid, errors } = this.#validator.validate(value);
      return valid ? { ok: true } : { ok: false, message: told(errors) };
    } catch (error) {
      return { ok: false, message: `it cannot be checked (${errorText(error)})` };
    }
  }
}

/** A value might follow it only in the last answer of a run. */
function lostReference(schema: Schema): string | undefined {
  const places = dereference(schema);
  for (const { $ref, __absolute_ref__: place } of schemasIn(schema))
    if (typeof $ref === "string" && places[typeof place === "string" ? place : $ref] === undefined) return $ref;
  return undefined;
}

function draftOf({ $schema }: JsonSchema): SchemaDraft {
  const [draft] = /draft-0[47]|2019-09/u.exec(typeof $schema === "string" ? $schema : "") ?? [];
  switch (draft) {
    case "draft-04":
      return "4";
    case "draft-07":
      return "7";
    case "2019-09":
      return "2019-09";
    default:
      return "2020-12";
  }
}

function problemOf(schema: unknown, place: string, depth: number): string | undefined {
  if (typeof schema === "boolean" && depth > 0) return undefined;
  const at = place === "" ? "it" : place.slice(1);
  if (!isRecord(schema)) return `${at} is no object`;
  if (depth > deepest) return `${at} is nested too deeply`;
  return ownProblem(schema, at) ?? problemBelow(schema, place, depth);
}

function ownProblem({ type, required, pattern, enum: values, $ref }: JsonSchema, at: string): string | undefined {
  const named: unknown[] = type === undefined ? [] : Array.isArray(type) ? type : [type];
  const strange = named.find((name) => !types.some((known) => known === name));
  if (strange !== undefined) return `${at} has the type ${JSON.stringify(strange)}, which is none`;
  if (required !== undefined && !(Array.isArray(required) && required.every((name) => typeof name === "string")))
    return `${at} has a "required" that is no list of names`;
  if (values !== undefined && !Array.isArray(values)) return `${at} has an "enum" that is no list`;
  if ($ref !== undefined && typeof $ref !== "string") return `${at} has a "$ref" that is no text`;
  return pattern === undefined || isPattern(pattern) ? undefined : `${at} has a "pattern" that is no expression`;
}

function problemBelow(schema: JsonSchema, place: string, depth: number): string | undefined {
  const below: [string, unknown][] = [];
  for (const key of single)
    if (schema[key] !== undefined && !Array.isArray(schema[key])) below.push([key, schema[key]]);
  for (const key of [...lists, "items"]) {
    const list = schema[key];
    if (Array.isArray(list))
      below.push(...list.map((each: unknown, index): [string, unknown] => [`${key}/${index}`, each]));
    else if (list !== undefined && key !== "items") return `${place.slice(1) || "it"} has a "${key}" that is no list`;
  }
  for (const key of maps) {
    const map = schema[key];
    if (isRecord(map))
      below.push(...Object.entries(map).map(([name, each]): [string, unknown] => [`${key}/${name}`, each]));
    else if (map !== undefined) return `${place.slice(1) || "it"} has "${key}" that are no object`;
  }
  for (const [key, each] of below) {
    const wrong = problemOf(each, `${place}/${key}`, depth + 1);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function isPattern(pattern: unknown): boolean {
  try {
    return typeof pattern === "string" && new RegExp(pattern, "u").source !== "";
  } catch {
    return false;
  }
}
