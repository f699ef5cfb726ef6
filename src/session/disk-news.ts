/** Files the model has read and somebody else has changed since: news for the next turn border, told once a change. */
import { statSync } from "node:fs";
import type { ReadFileState } from "../tools/read-state.ts";

/** The most recent ones: looking costs a system call each. */
const watched = 20;

export function createDiskNews(readState: ReadFileState): () => { path: string; snippet: string }[] {
  /** By path, the time of the change that was told; null: that it is gone. */
  const told = new Map<string, number | null>();
  return () => {
    const news: { path: string; snippet: string }[] = [];
    for (const path of readState.recent(watched)) {
      const mtimeMs = modified(path);
      if (mtimeMs === readState.get(path)?.mtimeMs) told.delete(path);
      else if (told.get(path) !== mtimeMs) {
        told.set(path, mtimeMs);
        const snippet = mtimeMs === null ? "It is gone." : "Read it again before relying on what it said.";
        news.push({ path, snippet });
      }
    }
    return news;
  };
}

/** Null where there is no file to be seen any more, for whatever reason. */
function modified(path: string): number | null {
  try {
    return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null;
  } catch {
    return null;
  }
}
