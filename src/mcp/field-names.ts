/** Renames input fields whose names the API does not accept; their server gets them under their own names. */
import { isObject, type Json, type JsonObject } from "../lib/json.ts";
import { hexDigest } from "./hex-digest.ts";

/** The server's own names, by the names that the model knows. Empty if all are the same. */
export type FieldNames = ReadonlyMap<string, string>;

const acceptedNamePattern = /^[a-zA-Z0-9_.-]{1,64}$/u;
const maxLength = 64;
/** Keywords that refer to fields by name. */
const namingKeywords = ["dependentRequired", "dependentSchemas", "if", "then", "else", "not", "propertyNames"];

export interface RenamedFields {
  schema: JsonObject;
  fields: FieldNames;
}

export function renameFields(schema: JsonObject): RenamedFields {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const own = Object.keys(properties);
  if (own.every((name) => acceptedNamePattern.test(name))) return { schema, fields: new Map() };
  const modelNames = new Map<string, string>();
  const used = new Set(own.filter((name) => acceptedNamePattern.test(name)));
  for (const name of own) {
    const plain = used.has(name) ? name : toAcceptedName(name, used);
    used.add(plain);
    modelNames.set(name, plain);
  }
  const renamed = Object.entries(properties).map(([name, each]): [string, Json] => {
    const plain = modelNames.get(name) ?? name;
    return [plain, plain === name ? each : withOriginalName(each, name)];
  });
  const { required, ...rest } = Object.fromEntries(
    Object.entries(schema).filter(([key]) => !namingKeywords.includes(key)),
  );
  const renamedSchema: JsonObject = { ...rest, properties: Object.fromEntries(renamed) };
  if (Array.isArray(required))
    renamedSchema["required"] = required.map((name) =>
      typeof name === "string" ? (modelNames.get(name) ?? name) : name,
    );
  const changed = Array.from(modelNames, ([name, plain]) => [plain, name] as const).filter(
    ([plain, name]) => plain !== name,
  );
  return { schema: renamedSchema, fields: new Map(changed) };
}

function toAcceptedName(name: string, used: ReadonlySet<string>): string {
  const plain = name.replace(/[^a-zA-Z0-9_.-]/gu, "_").slice(0, maxLength) || "_";
  if (!used.has(plain) && name.length <= maxLength) return plain;
  return `${plain.slice(0, maxLength - 9)}_${hexDigest(name, 8)}`;
}

/** Adds the field's own name to its description, because other descriptions of the tool may refer to it. */
function withOriginalName(schema: Json, name: string): Json {
  if (!isObject(schema)) return schema;
  const description = typeof schema["description"] === "string" ? ` ${schema["description"]}` : "";
  return { ...schema, description: `(${name.slice(0, 100)})${description}` };
}

/** The input with the server's own field names. */
export function withServerFieldNames(input: Record<string, unknown>, fields: FieldNames): Record<string, unknown> {
  if (fields.size === 0) return input;
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [fields.get(name) ?? name, value]));
}
