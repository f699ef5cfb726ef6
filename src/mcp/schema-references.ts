/** References within a schema: those that lead to nothing, or only to themselves, are taken out, since whoever checks inputs by it could check none. */
import { isObject, type Json, type JsonObject } from "../lib/json.ts";

/** After so many all are taken out: a server may write a reference to what eases the next one, and so on. */
const mostRounds = 8;

/** Changes the schema in place. What lies elsewhere is not fetched. */
export function keepFoundReferences(root: JsonObject): void {
  // What is eased stands elsewhere afterwards: what refers to it has lost it.
  for (let round = 1; losesReferences(root, round < mostRounds); round += 1);
}

/** True: some are taken out. */
function losesReferences(root: JsonObject, mayKeep: boolean): boolean {
  const referring: JsonObject[] = [];
  const lost = new Set<Json>();
  const visit = (value: Json): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (!isObject(value)) return;
    const { $ref: reference } = value;
    if (typeof reference === "string") {
      const found = mayKeep ? [reference, tupled(reference)].find((each) => leadsTo(root, each)) : undefined;
      if (found === undefined) lose(value, lost);
      else {
        value["$ref"] = found;
        referring.push(value);
      }
    }
    Object.values(value).forEach(visit);
  };
  visit(root);
  for (const value of leadingBack(root, referring)) lose(value, lost);
  cutWide(root, referring, lost);
  if (lost.size > 0) ease(root, widened(root, lost));
  return lost.size > 0;
}

function lose(value: JsonObject, lost: Set<Json>): void {
  delete value["$ref"];
  lost.add(value);
}

/** What takes more than was meant: what has lost its reference, what holds such a schema, and what refers to one. */
function widened(root: JsonObject, lost: ReadonlySet<Json>): ReadonlySet<Json> {
  const above = new Map<Json, Json[]>();
  const note = (below: Json, value: Json): void => {
    const known = above.get(below);
    if (known === undefined) above.set(below, [value]);
    else known.push(value);
  };
  const visit = (value: Json): void => {
    if (typeof value !== "object" || value === null) return;
    const target = isObject(value) ? targetOf(root, value) : undefined;
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

const tables: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);

/** Where one of several alone may fit, or none, what takes too much would have nothing taken. */
function ease(value: Json, wide: ReadonlySet<Json>): void {
  if (Array.isArray(value)) return value.forEach((each) => ease(each, wide));
  if (!isObject(value)) return;
  const { oneOf, not, if: condition } = value;
  if (oneOf !== undefined && wide.has(oneOf)) {
    delete value["oneOf"];
    value["anyOf"] ??= oneOf;
  }
  if (not !== undefined && wide.has(not)) delete value["not"];
  if (condition !== undefined && wide.has(condition)) for (const key of ["if", "then", "else"]) delete value[key];
  for (const [key, below] of Object.entries(value)) {
    // Its keys are names, which may be any.
    if (tables.has(key) && isObject(below)) Object.values(below).forEach((each) => ease(each, wide));
    else ease(below, wide);
  }
}

/** Schemas that one value is held against by one reference. Whoever checks by them looks at each of them, as often as it is referred to. */
const mostBehindOne = 1_000;

/** A few that each refer to the next one twice are millions. */
function cutWide(root: JsonObject, referring: readonly JsonObject[], lost: Set<Json>): void {
  const widths = new Map<JsonObject, number>();
  const measure = (at: JsonObject): number => {
    const known = widths.get(at);
    if (known !== undefined) return known;
    const target = targetOf(root, at);
    if (target !== undefined && measure(target) > mostBehindOne) lose(at, lost);
    const width = besides(root, at).reduce((sum, next) => sum + measure(next), 1);
    widths.set(at, width);
    return width;
  };
  referring.forEach(measure);
}

/** Keywords that are about the same value as their schema. */
const samePlace = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];

/**
 * Those whose reference leads to themselves without a step into the value: whoever follows it does not come to an end. All are found in
 * one walk (Tarjan's): a server may write thousands that refer to one another.
 */
function leadingBack(root: JsonObject, referring: readonly JsonObject[]): JsonObject[] {
  const found = new Map<JsonObject, { index: number; least: number; round?: number }>();
  const open: JsonObject[] = [];
  const walk = (at: JsonObject): number => {
    const own: { index: number; least: number } = { index: found.size, least: found.size };
    found.set(at, own);
    open.push(at);
    for (const next of besides(root, at)) {
      const known = found.get(next);
      if (known?.round === undefined) own.least = Math.min(own.least, known?.index ?? walk(next));
    }
    // All that lead to one another end together.
    if (own.least === own.index)
      for (const each of open.splice(open.lastIndexOf(at))) found.get(each)!.round = own.index;
    return own.least;
  };
  for (const value of referring) if (!found.has(value)) walk(value);
  return referring.filter((value) => {
    const target = targetOf(root, value);
    return target !== undefined && found.get(target)?.round === found.get(value)?.round;
  });
}

/** Schemas of the same value that one leads to. */
function besides(root: JsonObject, at: JsonObject): JsonObject[] {
  const { dependentSchemas } = at;
  const below = samePlace.flatMap((key) => at[key] ?? []);
  if (isObject(dependentSchemas)) below.push(...Object.values(dependentSchemas));
  const target = targetOf(root, at);
  return [...(target === undefined ? [] : [target]), ...below.filter(isObject)];
}

/** The schema that one refers to. */
function targetOf(root: JsonObject, { $ref: reference }: JsonObject): JsonObject | undefined {
  const target = typeof reference === "string" ? referred(root, reference) : undefined;
  return target !== undefined && isObject(target) ? target : undefined;
}

/** A list of items is written in another place than in older drafts. */
function tupled(reference: string): string {
  return reference.replaceAll(/\/items\/(?=\d)/gu, "/prefixItems/");
}

function leadsTo(root: JsonObject, reference: string): boolean {
  const found = referred(root, reference);
  return typeof found === "boolean" || isObject(found);
}

/** What a reference within the schema leads to. */
export function referred(root: JsonObject, reference: string): Json | undefined {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let at: Json | undefined = root;
  for (const part of reference.slice(2).split("/")) {
    const key = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as JsonObject)[key];
  }
  return at;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
