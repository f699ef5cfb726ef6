/** The last so many strings: what makes appends idempotent without keeping every id for ever. */

export interface RecentSet {
  has(value: string): boolean;
  add(value: string): void;
}

export function createRecentSet(limit: number, initial: Iterable<string> = []): RecentSet {
  const values = new Set<string>(initial);
  return {
    has: (value) => values.has(value),
    add(value) {
      values.add(value);
      if (values.size <= limit) return;
      for (const oldest of values) {
        values.delete(oldest);
        return;
      }
    },
  };
}
