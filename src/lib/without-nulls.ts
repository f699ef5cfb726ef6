/** A copy without the fields that are null: many types use null for a missing field. */
export function withoutNulls<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null)) as T;
}
