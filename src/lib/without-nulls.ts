/** A copy without the fields of which it says null: by many types that is how one says that they are not there. */
export function withoutNulls<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null)) as T;
}
