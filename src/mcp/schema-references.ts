/** References within a schema: those that lead to nothing, or only to themselves, are taken out, since whoever checks inputs by it could check none. */
import { isObject, type Json, type JsonObject } from "../lib/json.ts";

/** Changes the schema in place. What lies elsewhere is not fetched. */
export function keepFoundReferences(root: JsonObject): void {
  const visit = (value: Json): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (!isObject(value)) return;
    const { $ref: reference } = value;
    if (typeof reference === "string") {
      const found = [reference, tupled(reference)].find((each) => leadsTo(root, each));
      if (found === undefined) delete value["$ref"];
      else value["$ref"] = found;
      if (leadsBack(root, value)) delete value["$ref"];
    }
    Object.values(value).forEach(visit);
  };
  visit(root);
}

/** Keywords that are about the same value as their schema. */
const samePlace = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];

/** To itself, without a step into the value: whoever follows it does not come to an end. */
function leadsBack(root: JsonObject, start: JsonObject): boolean {
  const seen = new Set<Json>();
  const open: Json[] = [start];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (!isObject(at)) continue;
    const { $ref: reference } = at;
    const target = typeof reference === "string" ? referred(root, reference) : undefined;
    const { dependentSchemas } = at;
    const below = samePlace.flatMap((key) => at[key] ?? []);
    if (isObject(dependentSchemas)) below.push(...Object.values(dependentSchemas));
    for (const next of target === undefined ? below : [target, ...below]) {
      if (next === start) return true;
      if (!seen.has(next)) open.push(next);
      seen.add(next);
    }
  }
  return false;
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
