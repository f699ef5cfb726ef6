/** References within a schema: dangling or circular ones are removed, since a validator could not check any input with them. */
import { isObject, type Json, type JsonObject } from "../lib/json.ts";
import { decodeOrKeep } from "../lib/decode-or-keep.ts";

/** After this many rounds all references are removed: each loosened schema may contain what another reference leads to. */
const maxRounds = 8;

/** Changes the schema in place. References to other documents are not fetched. */
export function removeBadReferences(root: JsonObject): void {
  // Loosening moves a schema, so that references to it become dangling: hence another round.
  for (let round = 1; removeBadReferencesOnce(root, round < maxRounds); round += 1);
}

/** Returns true if some references were removed. */
function removeBadReferencesOnce(root: JsonObject, mayKeep: boolean): boolean {
  const referring: JsonObject[] = [];
  const lost = new Set<Json>();
  const visit = (value: Json): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (!isObject(value)) return;
    const { $ref: reference } = value;
    if (typeof reference === "string") {
      const found = mayKeep
        ? [reference, withPrefixItems(reference)].find((each) => isResolvable(root, each))
        : undefined;
      if (found === undefined) removeReference(value, lost);
      else {
        value["$ref"] = found;
        referring.push(value);
      }
    }
    Object.values(value).forEach(visit);
  };
  visit(root);
  for (const value of circularReferences(root, referring)) removeReference(value, lost);
  removeWideReferences(root, referring, lost);
  if (lost.size > 0) loosen(root, loosenedSchemas(root, lost));
  return lost.size > 0;
}

function removeReference(value: JsonObject, lost: Set<Json>): void {
  delete value["$ref"];
  lost.add(value);
}

/** The schemas that now accept more than was meant: those that lost a reference, contain such a schema, or refer to one. */
function loosenedSchemas(root: JsonObject, lost: ReadonlySet<Json>): ReadonlySet<Json> {
  const above = new Map<Json, Json[]>();
  const note = (below: Json, value: Json): void => {
    const known = above.get(below);
    if (known === undefined) above.set(below, [value]);
    else known.push(value);
  };
  const visit = (value: Json): void => {
    if (typeof value !== "object" || value === null) return;
    const target = isObject(value) ? referenceTarget(root, value) : undefined;
    if (target !== undefined) note(target, value);
    for (const below of Object.values(value)) {
      note(below, value);
      visit(below);
    }
  };
  visit(root);
  const wide = new Set(lost);
  for (const value of wide) for (const each of above.get(value) ?? []) wide.add(each);
  return wide;
}

/** Keywords whose values are schemas under arbitrary names. */
export const schemaTables: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);

/** In `oneOf`, `not` and `if`, a schema that accepts too much would make the whole refuse valid input, so these are loosened. */
function loosen(value: Json, wide: ReadonlySet<Json>): void {
  if (Array.isArray(value)) return value.forEach((each) => loosen(each, wide));
  if (!isObject(value)) return;
  const { oneOf, not, if: condition } = value;
  if (oneOf !== undefined && wide.has(oneOf)) {
    delete value["oneOf"];
    value["anyOf"] ??= oneOf;
  }
  if (not !== undefined && wide.has(not)) delete value["not"];
  if (condition !== undefined && wide.has(condition)) for (const key of ["if", "then", "else"]) delete value[key];
  for (const [key, below] of Object.entries(value)) {
    if (schemaTables.has(key) && isObject(below)) Object.values(below).forEach((each) => loosen(each, wide));
    else loosen(below, wide);
  }
}

/** Maximum number of schemas that one reference may apply to a single value: a validator visits each as often as it is referred to. */
const maxSchemasPerReference = 1_000;

/** A few schemas that each refer to the next one twice multiply to millions. */
function removeWideReferences(root: JsonObject, referring: readonly JsonObject[], lost: Set<Json>): void {
  const widths = new Map<JsonObject, number>();
  const measure = (at: JsonObject): number => {
    const known = widths.get(at);
    if (known !== undefined) return known;
    const target = referenceTarget(root, at);
    if (target !== undefined && measure(target) > maxSchemasPerReference) removeReference(at, lost);
    const width = sameValueSchemas(root, at).reduce((sum, next) => sum + measure(next), 1);
    widths.set(at, width);
    return width;
  };
  referring.forEach(measure);
}

/** Keywords that apply to the same value as their schema. */
const sameValueKeywords = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];

/**
 * The references that lead back to themselves without descending into the value: a validator would never finish. One walk
 * (Tarjan's) finds all of them, because a server may write thousands that refer to one another.
 */
function circularReferences(root: JsonObject, referring: readonly JsonObject[]): JsonObject[] {
  const found = new Map<JsonObject, { index: number; least: number; round?: number }>();
  const open: JsonObject[] = [];
  const walk = (at: JsonObject): number => {
    const own: { index: number; least: number } = { index: found.size, least: found.size };
    found.set(at, own);
    open.push(at);
    for (const next of sameValueSchemas(root, at)) {
      const known = found.get(next);
      if (known?.round === undefined) own.least = Math.min(own.least, known?.index ?? walk(next));
    }
    // All schemas of one cycle are completed together.
    if (own.least === own.index)
      for (const each of open.splice(open.lastIndexOf(at))) found.get(each)!.round = own.index;
    return own.least;
  };
  for (const value of referring) if (!found.has(value)) walk(value);
  return referring.filter((value) => {
    const target = referenceTarget(root, value);
    return target !== undefined && found.get(target)?.round === found.get(value)?.round;
  });
}

/** The schemas that apply to the same value as this one. */
function sameValueSchemas(root: JsonObject, at: JsonObject): JsonObject[] {
  const { dependentSchemas } = at;
  const below = sameValueKeywords.flatMap((key) => at[key] ?? []);
  if (isObject(dependentSchemas)) below.push(...Object.values(dependentSchemas));
  const target = referenceTarget(root, at);
  return [...(target === undefined ? [] : [target]), ...below.filter(isObject)];
}

/** The schema that this one refers to. */
function referenceTarget(root: JsonObject, { $ref: reference }: JsonObject): JsonObject | undefined {
  const target = typeof reference === "string" ? resolveReference(root, reference) : undefined;
  return target !== undefined && isObject(target) ? target : undefined;
}

/** Rewrites a reference into a list of items, which older drafts keep under another keyword. */
function withPrefixItems(reference: string): string {
  return reference.replaceAll(/\/items\/(?=\d)/gu, "/prefixItems/");
}

function isResolvable(root: JsonObject, reference: string): boolean {
  const found = resolveReference(root, reference);
  return typeof found === "boolean" || isObject(found);
}

/** The value that a reference within the schema leads to. */
export function resolveReference(root: JsonObject, reference: string): Json | undefined {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let at: Json | undefined = root;
  for (const part of reference.slice(2).split("/")) {
    const key = decodeOrKeep(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as JsonObject)[key];
  }
  return at;
}
