/** The entries of one folder, for path completion: it does not search subfolders, so it is quick however much they hold. */
import { opendir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { unsearchedFolders } from "./ripgrep.ts";
import { isIgnored, outerRules } from "./walk.ts";

/** The number of names checked against ignore rules before yielding, so that someone who is typing does not notice a delay. */
const yieldInterval = 500;

export interface FolderEntriesOptions {
  /** Absolute. */
  directory: string;
  /** Asked before any other check. */
  isWanted(name: string): boolean;
  signal: AbortSignal;
  /** Asked between entries; true stops the listing. */
  isOver(): boolean;
}

/** The names in a folder, folders with a slash; without ignored names, unless the folder itself is ignored. Empty if it does not exist. */
export async function folderEntries(options: FolderEntriesOptions): Promise<string[]> {
  const { directory } = options;
  const found = await wantedEntries(options);
  if (found.length === 0) return [];
  const outer = await outerRules(directory);
  const above = outer.filter(({ folder }) => folder !== directory);
  const rules = isIgnored(directory, true, above) ? [] : outer;
  const names: string[] = [];
  for (const [at, { name, isDirectory }] of found.entries()) {
    if (at % yieldInterval === yieldInterval - 1) await setImmediate();
    options.signal.throwIfAborted();
    if (!isIgnored(join(directory, name), isDirectory, rules)) names.push(isDirectory ? `${name}/` : name);
  }
  return names;
}

interface Entry {
  name: string;
  isDirectory: boolean;
}

async function wantedEntries(options: FolderEntriesOptions): Promise<Entry[]> {
  const { directory, signal } = options;
  const entries: Entry[] = [];
  try {
    for await (const entry of await opendir(directory, { bufferSize: 1_024 })) {
      signal.throwIfAborted();
      if (options.isOver()) break;
      const { name } = entry;
      if (unsearchedFolders.includes(name) || !options.isWanted(name)) continue;
      const kind = entry.isSymbolicLink() ? await stat(join(directory, name)).catch(() => undefined) : entry;
      if (kind?.isDirectory() === true || kind?.isFile() === true)
        entries.push({ name, isDirectory: kind.isDirectory() });
    }
  } catch (error) {
    if (signal.aborted) throw error;
    // The folder is missing or may not be read: keep what was read so far.
  }
  return entries;
}
