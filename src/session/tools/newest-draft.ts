/** Converts schemas of older drafts for the model's API, which refuses every request that contains one. */
import { isRecord } from "../../lib/is-record.ts";
import { copyJson } from "../../protocol/copy-json.ts";
import { schemasIn } from "./checked-schema.ts";
import { decodeOrKeep } from "../../lib/decode-or-keep.ts";

const exclusiveLimits = [
  ["exclusiveMinimum", "minimum"],
  ["exclusiveMaximum", "maximum"],
] as const;

/** Returns the same object if nothing needs to change. */
export function toNewestDraft<Schema extends Record<string, unknown>>(original: Schema): Schema {
  const schema = copyJson(original);
  let isOld = false;
  for (const each of schemasIn(schema)) isOld = upgradeSchema(each) || isOld;
  if (!isOld) return original;
  for (const each of schemasIn(schema)) {
    const { $ref } = each;
    if (typeof $ref === "string" && $ref.startsWith("#/")) each["$ref"] = renameReference($ref, original);
  }
  // It would name the old draft.
  delete schema["$schema"];
  return schema;
}

function upgradeSchema(schema: Record<string, unknown>): boolean {
  const { items, additionalItems } = schema;
  const isTuple = Array.isArray(items);
  if (isTuple) {
    delete schema["items"];
    delete schema["additionalItems"];
    if (items.length > 0) schema["prefixItems"] = items;
    if (additionalItems !== undefined) schema["items"] = additionalItems;
  }
  const flags = exclusiveLimits.filter(([name]) => typeof schema[name] === "boolean");
  for (const [exclusive, limit] of flags) {
    const isExclusive = schema[exclusive] === true && schema[limit] !== undefined;
    delete schema[exclusive];
    if (!isExclusive) continue;
    schema[exclusive] = schema[limit];
    delete schema[limit];
  }
  return isTuple || flags.length > 0;
}

/** Renames the keywords on the path of a reference: generators also refer to a part where it first appeared, for example in a tuple. */
function renameReference(reference: string, value: unknown): string {
  let at = value;
  const names = reference.split("/").map((name, index) => {
    if (index === 0) return name;
    const isTuple = isRecord(at) && Array.isArray(at["items"]);
    at = childAt(at, name);
    if (!isTuple) return name;
    return name === "items" ? "prefixItems" : name === "additionalItems" ? "items" : name;
  });
  return names.join("/");
}

function childAt(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value[Number(name)];
  return isRecord(value) ? value[keyOf(name)] : undefined;
}

function keyOf(name: string): string {
  return decodeOrKeep(name.replaceAll("~1", "/").replaceAll("~0", "~"));
}
