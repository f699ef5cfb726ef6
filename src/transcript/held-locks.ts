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

interface HeldLock {
  holder: Holder;
  /** Whether other locks may be linked to this one. */
  isLinkable: boolean;
}

interface OwnedLocks {
  folders: Map<string, Map<string, HeldLock>>;
  /** Stops the heartbeat that shows that this process is alive. */
  stopHeartbeat?: (() => void) | undefined;
}

const locksByOwner = new WeakMap<TranscriptFileSystem, WeakMap<ProcessTable, OwnedLocks>>();

function ownedLocks({ fs, processes }: Owner): OwnedLocks {
  const ofFiles = locksByOwner.get(fs) ?? new WeakMap<ProcessTable, OwnedLocks>();
  locksByOwner.set(fs, ofFiles);
  const owned: OwnedLocks = ofFiles.get(processes) ?? { folders: new Map() };
  ofFiles.set(processes, owned);
  return owned;
}

/** Nobody outside a container sees whether this process lives, so its locks are touched: one per holder, the others are links. */
function touchLocks(owner: Owner): void {
  for (const folder of ownedLocks(owner).folders.values()) {
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

/** Records a held lock. `recordReleasedLock` takes the returned token, so that a lock acquired after a removal by hand is not mistaken for it. */
export function recordHeldLock(owner: Owner, path: string, holder: Holder): object {
  const owned = ownedLocks(owner);
  const folder = owned.folders.get(dirname(path)) ?? new Map<string, HeldLock>();
  owned.folders.set(dirname(path), folder);
  owned.stopHeartbeat ??= owner.processes.onHeartbeat?.(() => touchLocks(owner));
  const held = { holder, isLinkable: true };
  folder.set(path, held);
  return held;
}

/** Returns whether this lock was still the current one, not replaced by a later lock of this process. */
export function recordReleasedLock(owner: Owner, path: string, held: object): boolean {
  const owned = ownedLocks(owner);
  const folder = owned.folders.get(dirname(path));
  if (folder?.get(path) !== held) return false;
  folder.delete(path);
  if (folder.size === 0) owned.folders.delete(dirname(path));
  if (owned.folders.size === 0) {
    owned.stopHeartbeat?.();
    owned.stopHeartbeat = undefined;
  }
  return true;
}

/** A lock in the folder of `path` to link to; undefined if this process holds none there. */
export function findLinkableLock(owner: Owner, path: string): { path: string; holder: Holder } | undefined {
  for (const [other, { holder, isLinkable }] of ownedLocks(owner).folders.get(dirname(path)) ?? [])
    if (other !== path && isLinkable && holder.pid === owner.processes.pid) return { path: other, holder };
  return undefined;
}

/** Marks a lock that is no longer the file at its path: nothing is linked to it any more. */
export function markUnlinkable(owner: Owner, path: string): void {
  const held = ownedLocks(owner).folders.get(dirname(path))?.get(path);
  if (held !== undefined) held.isLinkable = false;
}
