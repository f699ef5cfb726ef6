/** A name as part of another name: letters, digits, single underscores and hyphens, at most 40; empty if nothing of it fits. */

export function plainKey(name: string): string {
  const key = name
    .replace(/[^A-Za-z0-9_-]/gu, "_")
    .replace(/_{2,}/gu, "_")
    .replace(/^_+|_+$/gu, "");
  return key.slice(0, 40).replace(/_+$/u, "");
}
