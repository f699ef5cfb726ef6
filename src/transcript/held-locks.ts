/**
 * The locks this process holds, by folder. To make a file takes the file system much longer than to link one once more (1 ms against 0.02
 * on ext4), so that of many locks in one folder only the first is a file of its own: the others are links to it, with the same holder.
 */
import { dirname } from "node:path";
import { systemCode } from "../lib/system-reason.ts";
import type { TranscriptFileSystem } from "./file-system.ts";
import type { ProcessTable } from "./process-table.ts";

/** Whom a lock names. */
export interface Holder {
  pid: number;
  /** When the process started, as its system counts it; undefined where that cannot be known. */
  started?: string;
  host: string;
  /** Those of `ProcessTable`. */
  space?: string | undefined;
  boot?: string | undefined;
  nonce: string;
}

/** Whose locks they are: of one process on one file system. */
interface Owner {
  fs: TranscriptFileSystem;
  processes: ProcessTable;
}

interface Held {
  holder: Holder;
  /** Whether others may be linked to it. */
  isWhole: boolean;
}

interface Folders {
  map: Map<string, Map<string, Held>>;
  /** Ends what shows that this process lives. */
  endBeat?: (() => void) | undefined;
}

const all = new WeakMap<TranscriptFileSystem, WeakMap<ProcessTable, Folders>>();

function ownedBy({ fs, processes }: Owner): Folders {
  const ofFiles = all.get(fs) ?? new WeakMap<ProcessTable, Folders>();
  all.set(fs, ofFiles);
  const folders = ofFiles.get(processes) ?? { map: new Map<string, Map<string, Held>>() };
  ofFiles.set(processes, folders);
  return folders;
}

function foldersOf(owner: Owner): Folders["map"] {
  return ownedBy(owner).map;
}

/** In a container nobody outside can see whether this process lives; one file of each holder is enough, since its others are links to it. */
function beat(owner: Owner): void {
  for (const folder of foldersOf(owner).values()) {
    const shown = new Set<string>();
    for (const [path, { holder }] of folder) {
      if (shown.has(holder.nonce)) continue;
      try {
        owner.fs.touch?.(path);
        shown.add(holder.nonce);
      } catch (error) {
        // Removed by hand: another one may be there. Or the disk takes nothing now.
        if (systemCode(error) === undefined) throw error;
      }
    }
  }
}

/** `noteReleased` knows it by what this answers: whoever holds the lock after it was removed by hand is not taken for it. */
export function noteHeld(owner: Owner, path: string, holder: Holder): object {
  const owned = ownedBy(owner);
  const folder = owned.map.get(dirname(path)) ?? new Map<string, Held>();
  owned.map.set(dirname(path), folder);
  owned.endBeat ??= owner.processes.onBeat?.(() => beat(owner));
  const held = { holder, isWhole: true };
  folder.set(path, held);
  return held;
}

/** Answers whether no other of this process holds the lock since. */
export function noteReleased(owner: Owner, path: string, held: object): boolean {
  const owned = ownedBy(owner);
  const folder = owned.map.get(dirname(path));
  if (folder?.get(path) !== held) return false;
  folder.delete(path);
  if (folder.size === 0) owned.map.delete(dirname(path));
  if (owned.map.size === 0) {
    owned.endBeat?.();
    owned.endBeat = undefined;
  }
  return true;
}

/** A lock in the folder of `path` that can be linked to; undefined where this process holds none there. */
export function heldBeside(owner: Owner, path: string): { path: string; holder: Holder } | undefined {
  for (const [other, { holder, isWhole }] of foldersOf(owner).get(dirname(path)) ?? [])
    if (other !== path && isWhole && holder.pid === owner.processes.pid) return { path: other, holder };
  return undefined;
}

/** It is not what is at its path: nothing is linked to it any more. */
export function forgetHeld(owner: Owner, path: string): void {
  const held = foldersOf(owner).get(dirname(path))?.get(path);
  if (held !== undefined) held.isWhole = false;
}
