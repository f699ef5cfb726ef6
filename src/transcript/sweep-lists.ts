/** Retention of task lists that sessions share by name: they belong to no session, and are removed when unchanged for long. */
import { join } from "node:path";
import { TranscriptError } from "./error.ts";
import type { TranscriptFileSystem } from "./file-system.ts";
import { listNames } from "./list-sessions.ts";
import { acquireLock, type LockOptions } from "./lock.ts";

const extension = ".json";

type SweepContext = LockOptions & { fs: TranscriptFileSystem };

/** `before`: ms since the epoch. Keeps lists changed since then, and lists that a live process is about to change. Yields between lists. */
export function* sweepTaskLists(folder: string, before: number, world: SweepContext): Generator<void, void> {
  const { fs } = world;
  for (const name of listNames(fs, folder)) {
    const path = join(folder, name);
    const isOld = (): boolean => (fs.statusOf(path)?.modifiedAt ?? Infinity) < before;
    if (!name.endsWith(extension) || !isOld()) continue;
    try {
      const lock = acquireLock(path, world);
      try {
        if (isOld()) fs.remove(path);
      } finally {
        lock.release();
      }
    } catch (error) {
      if (!(error instanceof TranscriptError && error.code === "locked")) throw error;
    }
    yield;
  }
}
