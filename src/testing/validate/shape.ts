/** Field checks in the API's own manner: required fields, types, and nothing that is not in the schema. */
import { isObject } from "../wire/types.ts";

export type Kind = "string" | "boolean" | "integer" | "number" | "object" | "array" | "text or array" | "any";

export interface Shape {
  required: Record<string, Kind>;
  optional: Record<string, Kind>;
}

const complaints: Record<Kind, string> = {
  string: "Input should be a valid string",
  boolean: "Input should be a valid boolean",
  integer: "Input should be a valid integer",
  number: "Input should be a valid number",
  object: "Input should be a valid dictionary",
  array: "Input should be a valid list",
  "text or array": "Input should be a valid string or list",
  any: "",
};

function isKind(value: unknown, kind: Kind): boolean {
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

/** `null` is accepted for optional fields, as the API does. */
export function checkShape(value: Record<string, unknown>, shape: Shape, path: string, complain: Complain): void {
  const at = (key: string) => (path === "" ? key : `${path}.${key}`);
  for (const key in shape.required) {
    const kind = shape.required[key] as Kind;
    if (value[key] === undefined) complain(at(key), "Field required");
    else if (!isKind(value[key], kind)) complain(at(key), complaints[kind]);
  }
  for (const key in value) {
    if (Object.hasOwn(shape.required, key)) continue;
    const kind = Object.hasOwn(shape.optional, key) ? shape.optional[key] : undefined;
    if (kind === undefined) complain(at(key), "Extra inputs are not permitted");
    else if (value[key] !== undefined && value[key] !== null && !isKind(value[key], kind)) {
      complain(at(key), complaints[kind]);
    }
  }
}

/** `'a', 'b' or 'c'`, as the API lists allowed values. */
export function alternatives(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
}
