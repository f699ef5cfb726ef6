/**
 * The locks this process holds, by folder. To make a file takes the file system much longer than to link one once more (1 ms against 0.02
 * on ext4), so that of many locks in one folder only the first is a file of its own: the others are links to it, with the same holder.
 */
import { dirname } from "node:path";
import type { TranscriptFileSystem } from "./file-system.ts";
import type { ProcessTable } from "./process-table.ts";

/** Whom a lock names. */
export interface Holder {
  pid: number;
  /** When the process started, as its system counts it; undefined where that cannot be known. */
  started?: string;
  host: string;
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

const all = new WeakMap<TranscriptFileSystem, WeakMap<ProcessTable, Map<string, Map<string, Held>>>>();

function foldersOf({ fs, processes }: Owner): Map<string, Map<string, Held>> {
  const ofFiles = all.get(fs) ?? new WeakMap<ProcessTable, Map<string, Map<string, Held>>>();
  all.set(fs, ofFiles);
  const folders = ofFiles.get(processes) ?? new Map<string, Map<string, Held>>();
  ofFiles.set(processes, folders);
  return folders;
}

/** `noteReleased` knows it by what this answers: whoever holds the lock after it was removed by hand is not taken for it. */
export function noteHeld(owner: Owner, path: string, holder: Holder): object {
  const folders = foldersOf(owner);
  const folder = folders.get(dirname(path)) ?? new Map<string, Held>();
  folders.set(dirname(path), folder);
  const held = { holder, isWhole: true };
  folder.set(path, held);
  return held;
}

/** Answers whether no other of this process holds the lock since. */
export function noteReleased(owner: Owner, path: string, held: object): boolean {
  const folders = foldersOf(owner);
  const folder = folders.get(dirname(path));
  if (folder?.get(path) !== held) return false;
  folder.delete(path);
  if (folder.size === 0) folders.delete(dirname(path));
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
