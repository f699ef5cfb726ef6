/** Schemas of older drafts as the model's API takes them: it refuses every request that has one. */
import { copyJson } from "../../protocol/copy-json.ts";
import { schemasIn } from "./checked-schema.ts";

const limits = [
  ["exclusiveMinimum", "minimum"],
  ["exclusiveMaximum", "maximum"],
] as const;

/** The same where there is nothing to change. */
export function inNewestDraft<Schema extends Record<string, unknown>>(given: Schema): Schema {
  const schema = copyJson(given);
  let isOld = false;
  for (const each of schemasIn(schema)) isOld = renewed(each) || isOld;
  if (!isOld) return given;
  // It would name the draft that it was.
  delete schema["$schema"];
  return schema;
}

function renewed(schema: Record<string, unknown>): boolean {
  const { items, additionalItems } = schema;
  const isTuple = Array.isArray(items);
  if (isTuple) {
    delete schema["items"];
    delete schema["additionalItems"];
    if (items.length > 0) schema["prefixItems"] = items;
    if (additionalItems !== undefined) schema["items"] = additionalItems;
  }
  const flags = limits.filter(([name]) => typeof schema[name] === "boolean");
  for (const [exclusive, limit] of flags) {
    const isExclusive = schema[exclusive] === true && schema[limit] !== undefined;
    delete schema[exclusive];
    if (!isExclusive) continue;
    schema[exclusive] = schema[limit];
    delete schema[limit];
  }
  return isTuple || flags.length > 0;
}
