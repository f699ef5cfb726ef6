/** Names of skills and agents, as files of plugins write them. */

/** Returns what `wantedName` may mean in this file, likeliest first: a plugin may call its own parts by bare names. */
export function candidateNames({ name, source }: { name: string; source: string }, wantedName: string): string[] {
  if (source !== "plugin" || wantedName.includes(":")) return [wantedName];
  return [wantedName, `${name.split(":", 1)[0] ?? ""}:${wantedName}`];
}

/** Returns the first of the names that `find` finds. */
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
