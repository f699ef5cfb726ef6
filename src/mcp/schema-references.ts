/** References within a schema: those that lead to nothing are taken out, since whoever checks inputs by it could check none. */
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
    }
    Object.values(value).forEach(visit);
  };
  visit(root);
}

/** A list of items is written in another place than in older drafts. */
function tupled(reference: string): string {
  return reference.replaceAll(/\/items\/(?=\d)/gu, "/prefixItems/");
}

function leadsTo(root: JsonObject, reference: string): boolean {
  if (reference === "#") return true;
  if (!reference.startsWith("#/")) return false;
  let at: Json | undefined = root;
  for (const part of reference.slice(2).split("/")) {
    const key = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return false;
    at = (at as JsonObject)[key];
  }
  return typeof at === "boolean" || isObject(at);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
