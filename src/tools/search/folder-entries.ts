/** What is in one folder, for who writes a path: no search below it, so that it is quick however much there is. */
import { opendir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { notSearched } from "./ripgrep.ts";
import { isIgnored, outerRules } from "./walk.ts";

/** So many names are held against the rules at once: whoever types meanwhile is not to notice. */
const breath = 500;

export interface FolderLook {
  /** Absolute. */
  directory: string;
  /** Asked before anything else is. */
  isWanted(name: string): boolean;
  signal: AbortSignal;
  /** Asked between entries; true ends it. */
  isOver(): boolean;
}

/** Names, a folder's with a slash at its end; none that .gitignore names, but in a folder that is itself ignored. None where there is no such folder. */
export async function folderEntries(look: FolderLook): Promise<string[]> {
  const { directory } = look;
  const found = await wantedEntries(look);
  if (found.length === 0) return [];
  const outer = await outerRules(directory);
  const above = outer.filter(({ folder }) => folder !== directory);
  const rules = isIgnored(directory, true, above) ? [] : outer;
  const names: string[] = [];
  for (const [at, { name, isDirectory }] of found.entries()) {
    if (at % breath === breath - 1) await setImmediate();
    look.signal.throwIfAborted();
    if (!isIgnored(join(directory, name), isDirectory, rules)) names.push(isDirectory ? `${name}/` : name);
  }
  return names;
}

interface Entry {
  name: string;
  isDirectory: boolean;
}

async function wantedEntries(look: FolderLook): Promise<Entry[]> {
  const { directory, signal } = look;
  const entries: Entry[] = [];
  try {
    for await (const entry of await opendir(directory, { bufferSize: 1_024 })) {
      signal.throwIfAborted();
      if (look.isOver()) break;
      const { name } = entry;
      if (notSearched.includes(name) || !look.isWanted(name)) continue;
      const kind = entry.isSymbolicLink() ? await stat(join(directory, name)).catch(() => undefined) : entry;
      if (kind?.isDirectory() === true || kind?.isFile() === true)
        entries.push({ name, isDirectory: kind.isDirectory() });
    }
  } catch (error) {
    if (signal.aborted) throw error;
    // Not there, or not ours to read: what was read of it counts.
  }
  return entries;
}
