/** A list of strings, which may be empty. */
export function isStringList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
