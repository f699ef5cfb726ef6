/**
 * The locks this process holds, by folder. Creating a file takes the file system much longer than linking one (1 ms against 0.02 ms on
 * ext4), so of many locks in one folder only the first is a file of its own; the others are links to it and name the same holder.
 */
import { dirname } from "node:path";
import { systemCode } from "../lib/system-reason.ts";
import type { TranscriptFileSystem } from "./file-system.ts";
import type { ProcessTable } from "./process-table.ts";

/** The process that a lock names. */
export interface Holder {
  pid: number;
  /** When the process started, in the system's own unit; undefined if that is unknown. */
  started?: string;
  host: string;
  /** See `ProcessTable`. */
  space?: string | undefined;
  boot?: string | undefined;
  nonce: string;
}

/** The owner of locks: one process on one file system. */
interface Owner {
  fs: TranscriptFileSystem;
  processes: ProcessTable;
}

interface Held {
  holder: Holder;
  /** Whether other locks may be linked to this one. */
  isWhole: boolean;
}

interface Folders {
  map: Map<string, Map<string, Held>>;
  /** Stops the heartbeat that shows that this process is alive. */
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

/** Nobody outside a container sees whether this process lives, so its locks are touched: one per holder, the others are links. */
function beat(owner: Owner): void {
  for (const folder of foldersOf(owner).values()) {
    const shown = new Set<string>();
    for (const [path, { holder }] of folder) {
      if (shown.has(holder.nonce)) continue;
      try {
        owner.fs.touch?.(path);
        shown.add(holder.nonce);
      } catch (error) {
        // The lock was removed by hand and another may be there, or the disk refuses writes now.
        if (systemCode(error) === undefined) throw error;
      }
    }
  }
}

/** Records a held lock. `noteReleased` takes the returned token, so that a lock acquired after a removal by hand is not mistaken for it. */
export function noteHeld(owner: Owner, path: string, holder: Holder): object {
  const owned = ownedBy(owner);
  const folder = owned.map.get(dirname(path)) ?? new Map<string, Held>();
  owned.map.set(dirname(path), folder);
  owned.endBeat ??= owner.processes.onBeat?.(() => beat(owner));
  const held = { holder, isWhole: true };
  folder.set(path, held);
  return held;
}

/** Returns whether this lock was still the current one, not replaced by a later lock of this process. */
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

/** A lock in the folder of `path` to link to; undefined if this process holds none there. */
export function heldBeside(owner: Owner, path: string): { path: string; holder: Holder } | undefined {
  for (const [other, { holder, isWhole }] of foldersOf(owner).get(dirname(path)) ?? [])
    if (other !== path && isWhole && holder.pid === owner.processes.pid) return { path: other, holder };
  return undefined;
}

/** Marks a lock that is no longer the file at its path: nothing is linked to it any more. */
export function forgetHeld(owner: Owner, path: string): void {
  const held = foldersOf(owner).get(dirname(path))?.get(path);
  if (held !== undefined) held.isWhole = false;
}
