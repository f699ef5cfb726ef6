/** What settings rule out for everybody, whatever is asked or answered. */
import type { OutsideBlocks } from "../../permissions/outside.ts";
import type { Settings } from "../../settings/settings.ts";

export interface Locks {
  bypassDisabledBy: string | undefined;
  deniesInsteadOfAsking: boolean;
  outside: OutsideBlocks;
}

export function locksOf({ permissions }: Settings): Locks {
  const { bypassDisabledBy, deniesInsteadOfAsking = false } = permissions;
  const {
    blockReadsOutsideWorkingDirectories: reads,
    blockWritesOutsideWorkingDirectories: writes,
    blockReadsExemptPaths: exempt,
  } = permissions;
  return { bypassDisabledBy, deniesInsteadOfAsking, outside: { reads, writes, exempt } };
}

/** What either rules out. */
export function lockedByEither(old: Locks, found: Locks): Locks {
  const isExempt = (path: string): boolean => old.outside.reads === undefined || old.outside.exempt.includes(path);
  return {
    bypassDisabledBy: old.bypassDisabledBy ?? found.bypassDisabledBy,
    deniesInsteadOfAsking: old.deniesInsteadOfAsking || found.deniesInsteadOfAsking,
    outside: {
      reads: old.outside.reads ?? found.outside.reads,
      writes: old.outside.writes ?? found.outside.writes,
      exempt: (found.outside.reads === undefined ? old : found).outside.exempt.filter(isExempt),
    },
  };
}
