export function stringOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}
