/** Pages fetched in the last minutes, so that a second question about one sends no request. */
export interface PageCache<T> {
  get(url: string): T | undefined;
  /** `size`: the number of characters in the value. */
  set(url: string, value: T, size: number): void;
}

const mostPages = 50;
const mostSize = 10_000_000;

/** Evicts the oldest pages first. `elapsed`: ms since an arbitrary moment. Each page is kept for `keptMs`. */
export function createPageCache<T>(elapsed: () => number, keptMs: number): PageCache<T> {
  const pages = new Map<string, { value: T; size: number; until: number }>();
  let total = 0;
  const drop = (url: string): void => {
    total -= pages.get(url)?.size ?? 0;
    pages.delete(url);
  };
  return {
    get(url) {
      const found = pages.get(url);
      if (found === undefined || elapsed() < found.until) return found?.value;
      drop(url);
      return undefined;
    },
    set(url, value, size) {
      drop(url);
      if (size > mostSize) return;
      pages.set(url, { value, size, until: elapsed() + keptMs });
      total += size;
      for (const oldest of pages.keys()) {
        if (pages.size <= mostPages && total <= mostSize) break;
        drop(oldest);
      }
    },
  };
}
