/** Schemas of validation libraries such as zod: told apart from JSON Schema, and used through the interface they share. */
import { errorText } from "../../lib/error-text.ts";
import { isRecord } from "../../lib/is-record.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { copyJson } from "../../protocol/copy-json.ts";
import type { ToolInput, ToolInputSchema } from "../../protocol/tool.ts";
import { schemasIn } from "./checked-schema.ts";

type Verdict<T> = { value: T; issues?: undefined } | { issues: readonly { message: string }[] };

/** What schemas of zod (4.2 and later), valibot and others offer as `~standard`: interfaces Standard Schema and Standard JSON Schema. */
export interface StandardSchema<T = unknown> {
  readonly "~standard": {
    readonly validate: (value: unknown) => Verdict<T> | Promise<Verdict<T>>;
    readonly types?: { readonly output: T } | undefined;
  };
}

/** One schema per field. */
export type StandardShape = Readonly<Record<string, StandardSchema>>;

/** The input that a handler receives. */
export type ShapeOutput<Shape extends StandardShape> = {
  [Field in keyof Shape]: NonNullable<Shape[Field]["~standard"]["types"]>["output"];
};

export function isShape(schema: ToolInputSchema | StandardShape): schema is StandardShape {
  const fields = Object.values(schema);
  return fields.every(isStandardSchema) && (fields.length > 0 || Object.keys(schema).length === 0);
}

export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== "object" && typeof value !== "function") || value === null || !("~standard" in value))
    return false;
  return isRecord(value["~standard"]) && typeof value["~standard"]["validate"] === "function";
}

/** Throws `UsageError` if a schema cannot be expressed as JSON Schema. */
export function schemaOfShape(tool: string, shape: StandardShape): ToolInputSchema {
  const properties: Record<string, unknown> = {};
  const required: string[] = [];
  for (const [field, schema] of Object.entries(shape)) {
    properties[field] = rebaseReferences(field, jsonSchemaOf(schema, `${tool}: the schema of "${field}"`));
    const absentVerdict = schema["~standard"].validate(undefined);
    if (absentVerdict instanceof Promise || absentVerdict.issues !== undefined) required.push(field);
    if (absentVerdict instanceof Promise) absentVerdict.catch(() => undefined);
  }
  return { type: "object", properties, ...(required.length === 0 ? {} : { required }) };
}

function jsonSchemaOf(schema: StandardSchema, subject: string): Record<string, unknown> {
  const own: unknown = (schema["~standard"] as { jsonSchema?: unknown }).jsonSchema;
  let jsonSchema: unknown;
  try {
    if (isRecord(own) && typeof own["input"] === "function") jsonSchema = own["input"]({ target: "draft-2020-12" });
  } catch (error) {
    const why = `${subject} cannot be expressed as JSON Schema (${errorText(error)})`;
    throw new UsageError(`${why}: use another type, or pass a JSON Schema.`, { cause: error });
  }
  if (!isRecord(jsonSchema))
    throw new UsageError(
      `${subject} cannot be expressed as JSON Schema: use zod 4.2 or later (not zod/mini), or pass a JSON Schema.`,
    );
  const { $schema: _, ...fields } = jsonSchema;
  return fields;
}

/** A library exports each field's schema as a whole document, so references in it start at its own root. */
function rebaseReferences(field: string, fields: Record<string, unknown>): Record<string, unknown> {
  const placed = copyJson(fields);
  const top = `#/properties/${encodeURIComponent(field.replaceAll("~", "~0").replaceAll("/", "~1"))}`;
  for (const each of schemasIn(placed)) {
    const { $ref: reference } = each;
    if (typeof reference === "string" && /^#(?:\/|$)/u.test(reference)) each["$ref"] = `${top}${reference.slice(1)}`;
  }
  return placed;
}

/** Returns the input for the handler: checked by the schemas themselves, with their defaults and transforms. Throws if one refuses it. */
export async function parseShapeInput(shape: StandardShape, input: ToolInput): Promise<Record<string, unknown>> {
  const read: Record<string, unknown> = {};
  for (const [field, schema] of Object.entries(shape)) {
    const verdict = await schema["~standard"].validate(input[field]);
    if (verdict.issues !== undefined)
      throw new Error(`${field}: ${verdict.issues.map(({ message }) => message).join("; ")}`);
    if (verdict.value !== undefined) read[field] = verdict.value;
  }
  return read;
}
