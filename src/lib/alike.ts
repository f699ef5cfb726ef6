/** Entries of a table for several names, with blanks between them, that have the same. */
export function alike<Value>(names: string, value: Value): [string, Value][] {
  return names.split(" ").map((name) => [name, value]);
}
