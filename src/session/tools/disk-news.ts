/** Files the model has read and somebody else has changed since: news for the next turn border, told once a change. */
import { readFileSync, type Stats } from "node:fs";
import { statusOf } from "../../lib/disk-look.ts";
import type { ReadFileState, ReadRecord } from "../../tools/read-state.ts";
import { hashBytes } from "../../tools/text-file.ts";

/** The most recent ones: looking costs a system call each. */
const watched = 20;
/** Where borders follow each other faster than this, ms, and nothing was done that changes files, each looks at a few, in turn. */
const wholeLookMs = 2_000;
const fewLooks = 4;

/**
 * `takeActed`: whether a call that may have changed anything was made since this was last asked. `growing`: files that are known to go on,
 * such as the output of what runs in the background.
 */
export function createDiskNews(
  readState: ReadFileState,
  clock: { elapsed(): number },
  takeActed: () => boolean,
  growing: () => ReadonlySet<string | null> = () => new Set(),
): () => { path: string; snippet: string }[] {
  /** By path, the time of the change that was told or looked into; null: that it is gone. */
  const told = new Map<string, number | null>();
  let lookedAt = -Infinity;
  let turn = 0;
  const choose = (paths: string[]): string[] => {
    const hasActed = takeActed();
    if (paths.length <= fewLooks) return paths;
    const now = clock.elapsed();
    if (hasActed || now - lookedAt >= wholeLookMs) {
      lookedAt = now;
      return paths;
    }
    const from = (turn++ * fewLooks) % paths.length;
    return paths.slice(from, from + fewLooks);
  };
  return () => {
    const news: { path: string; snippet: string }[] = [];
    const known = growing();
    for (const path of choose(readState.recent(watched).filter((each) => !known.has(each)))) {
      const record = readState.get(path);
      const found = statusOf(path);
      const mtimeMs = found?.mtimeMs ?? null;
      if (mtimeMs === record?.mtimeMs) told.delete(path);
      else if (told.get(path) !== mtimeMs) {
        told.set(path, mtimeMs);
        if (found !== undefined && record !== undefined && holdsTheSame(path, found, record)) continue;
        const snippet = mtimeMs === null ? "It is gone." : "Read it again before relying on what it said.";
        news.push({ path, snippet });
      }
    }
    return news;
  };
}

/** Touched, or written with what it held already. Read only where the size leaves it open, once a change. */
function holdsTheSame(path: string, found: Stats, { size, hash }: ReadRecord): boolean {
  if (hash === undefined || found.size !== size || !found.isFile()) return false;
  try {
    return hashBytes(readFileSync(path)) === hash;
  } catch {
    return false;
  }
}
