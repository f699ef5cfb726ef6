/** Files the model has read and somebody else has changed since: news for the next turn border, told once a change. */
import { statSync } from "node:fs";
import type { ReadFileState } from "../tools/read-state.ts";

/** The most recent ones: looking costs a system call each. */
const watched = 20;

export function createDiskNews(readState: ReadFileState): () => { path: string; snippet: string }[] {
  const told = new Map<string, number>();
  return () => {
    const news: { path: string; snippet: string }[] = [];
    for (const path of readState.recent(watched)) {
      const known = readState.get(path);
      const mtimeMs = modified(path);
      if (known === undefined || mtimeMs === known.mtimeMs || told.get(path) === mtimeMs) continue;
      told.set(path, mtimeMs ?? 0);
      const snippet = mtimeMs === undefined ? "It is gone." : "Read it again before relying on what it said.";
      news.push({ path, snippet });
    }
    return news;
  };
}

function modified(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}
