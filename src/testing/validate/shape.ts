/** Checks fields the way the API does: required fields, types, and nothing outside the schema. */
import { isObject } from "../wire/types.ts";

type PlainKind = "string" | "boolean" | "integer" | "number" | "object" | "array" | "text or array" | "any";

/** What a field may hold: a plain kind, or a description of its contents. */
export type Kind =
  | PlainKind
  | { oneOf: readonly string[] }
  | { fields: Shape }
  | { listOf: Kind }
  /** Objects distinguished by their `type`, which need not be among the shape's fields. */
  | { tagged: Readonly<Record<string, Shape>> }
  | { textOr: Kind };

export interface Shape {
  required: Record<string, Kind>;
  optional: Record<string, Kind>;
  /** Fields that are not listed are allowed. */
  isOpen?: true;
}

const typeErrors: Record<PlainKind, string> = {
  string: "Input should be a valid string",
  boolean: "Input should be a valid boolean",
  integer: "Input should be a valid integer",
  number: "Input should be a valid number",
  object: "Input should be a valid dictionary",
  array: "Input should be a valid list",
  "text or array": "Input should be a valid string or list",
  any: "",
};

function isKind(value: unknown, kind: PlainKind): boolean {
  switch (kind) {
    case "string":
    case "boolean":
      return typeof value === kind;
    case "integer":
      return Number.isInteger(value);
    case "number":
      return typeof value === "number" && Number.isFinite(value);
    case "object":
      return isObject(value);
    case "array":
      return Array.isArray(value);
    case "text or array":
      return typeof value === "string" || Array.isArray(value);
    case "any":
      return true;
    default:
      return kind satisfies never;
  }
}

export type Complain = (path: string, message: string) => void;

function checkKind(value: unknown, kind: Kind, path: string, complain: Complain): void {
  if (typeof kind === "string") {
    if (!isKind(value, kind)) complain(path, typeErrors[kind]);
  } else if ("textOr" in kind) {
    if (typeof value !== "string") checkKind(value, kind.textOr, path, complain);
  } else if ("oneOf" in kind) {
    if (!kind.oneOf.includes(value as never)) complain(path, `Input should be ${alternatives(kind.oneOf)}`);
  } else if ("listOf" in kind) {
    if (!Array.isArray(value)) return complain(path, typeErrors.array);
    value.forEach((entry: unknown, index) => checkKind(entry, kind.listOf, `${path}.${index}`, complain));
  } else if (!isObject(value)) complain(path, typeErrors.object);
  else if ("fields" in kind) checkShape(value, kind.fields, path, complain);
  else checkTagged(value, kind.tagged, path, complain);
}

function checkTagged(
  value: Record<string, unknown>,
  shapes: Readonly<Record<string, Shape>>,
  path: string,
  complain: Complain,
): void {
  const { type, ...fields } = value;
  if (typeof type !== "string") return complain(`${path}.type`, "Field required");
  const shape = Object.hasOwn(shapes, type) ? shapes[type] : undefined;
  if (shape === undefined) return complain(path, unknownTag(type, Object.keys(shapes)));
  checkShape(fields, shape, `${path}.${type}`, complain);
}

export function unknownTag(type: string, tags: readonly string[]): string {
  const expected = tags.map((tag) => `'${tag}'`).join(", ");
  return `Input tag '${type}' found using 'type' does not match any of the expected tags: ${expected}`;
}

/** `null` is accepted for optional fields, as the API does. */
export function checkShape(value: Record<string, unknown>, shape: Shape, path: string, complain: Complain): void {
  const at = (key: string) => (path === "" ? key : `${path}.${key}`);
  for (const key in shape.required) {
    const kind = shape.required[key] as Kind;
    if (value[key] === undefined) complain(at(key), "Field required");
    else checkKind(value[key], kind, at(key), complain);
  }
  for (const key in value) {
    if (Object.hasOwn(shape.required, key)) continue;
    const kind = Object.hasOwn(shape.optional, key) ? shape.optional[key] : undefined;
    if (kind === undefined && shape.isOpen === true) continue;
    if (kind === undefined) complain(at(key), "Extra inputs are not permitted");
    else if (value[key] !== undefined && value[key] !== null) checkKind(value[key], kind, at(key), complain);
  }
}

/** Formats values as `'a', 'b' or 'c'`, the way the API lists allowed values. */
export function alternatives(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
}
