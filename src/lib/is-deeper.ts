/** The deepest nesting accepted from models, tools and hosts: values parsed without recursion may be too deep for later recursive code. */
export const maxValueDepth = 500;

/** Stops at that level and does not look deeper. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const item of Object.values(value) as unknown[]) if (isDeeperThan(item, levels - 1)) return true;
  return false;
}
