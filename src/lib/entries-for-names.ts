/** Returns table entries that give several names, separated by spaces, the same value. */
export function entriesForNames<Value>(names: string, value: Value): [string, Value][] {
  return names.split(" ").map((name) => [name, value]);
}
