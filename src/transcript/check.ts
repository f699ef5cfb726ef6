/** Small predicates over parsed JSON. */
import { permissionModes, type PermissionMode } from "../protocol/index.ts";

export type Thing = Record<string, unknown>;

export function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** A finite number that is not negative: tokens, dollars, counts. */
export function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

export function isPermissionMode(value: unknown): value is PermissionMode {
  return isText(value) && (permissionModes as readonly string[]).includes(value);
}

export function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}

/** True if the value is absent or `check` accepts it. */
export function isMaybe(value: unknown, check: (value: unknown) => boolean): boolean {
  return value === undefined || check(value);
}
