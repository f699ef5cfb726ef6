/** Names of skills and agents, as files of plugins have them. */

/** What `wanted` may mean in this file, the likeliest first: a plugin calls its own by bare names. */
export function namesMeant({ name, source }: { name: string; source: string }, wanted: string): string[] {
  if (source !== "plugin" || wanted.includes(":")) return [wanted];
  return [wanted, `${name.split(":", 1)[0] ?? ""}:${wanted}`];
}

/** The first of them that there is. */
export function firstFound<Found>(
  names: readonly string[],
  find: (name: string) => Found | undefined,
): Found | undefined {
  for (const name of names) {
    const found = find(name);
    if (found !== undefined) return found;
  }
  return undefined;
}
