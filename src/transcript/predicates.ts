/** Small predicates over parsed JSON. */

export type UnknownRecord = Record<string, unknown>;

export function isString(value: unknown): value is string {
  return typeof value === "string";
}

/** A finite number that is not negative: tokens, dollars, counts. */
export function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

/** True if the value is absent or `check` accepts it. */
export function isAbsentOr(value: unknown, check: (value: unknown) => boolean): boolean {
  return value === undefined || check(value);
}
