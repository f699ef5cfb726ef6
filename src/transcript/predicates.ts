/** Small predicates over parsed JSON. */
import { permissionModes, type PermissionMode } from "../protocol/index.ts";

export type UnknownRecord = Record<string, unknown>;

export function isString(value: unknown): value is string {
  return typeof value === "string";
}

/** A finite number that is not negative: tokens, dollars, counts. */
export function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

export function isPermissionMode(value: unknown): value is PermissionMode {
  return isString(value) && (permissionModes as readonly string[]).includes(value);
}

export function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isString);
}

/** True if the value is absent or `check` accepts it. */
export function isAbsentOr(value: unknown, check: (value: unknown) => boolean): boolean {
  return value === undefined || check(value);
}
