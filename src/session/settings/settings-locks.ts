/** What settings rule out for everybody, whatever is asked or answered. */
import type { PermissionMode } from "../../protocol/permission.ts";
import type { OutsideBlocks } from "../../permissions/judging/law.ts";
import type { Permissions } from "../../permissions/permissions.ts";
import type { Settings } from "../../settings/settings.ts";

export interface Locks {
  bypassDisabledBy: string | undefined;
  autoDisabledBy: string | undefined;
  deniesInsteadOfAsking: boolean;
  outside: OutsideBlocks;
}

export function locksOf({ permissions }: Settings): Locks {
  const { bypassDisabledBy, autoDisabledBy, deniesInsteadOfAsking = false } = permissions;
  const {
    blockReadsOutsideWorkingDirectories: reads,
    blockWritesOutsideWorkingDirectories: writes,
    blockReadsExemptPaths: exempt,
  } = permissions;
  return { bypassDisabledBy, autoDisabledBy, deniesInsteadOfAsking, outside: { reads, writes, exempt } };
}

type ModeLocks = Partial<Pick<Locks, "bypassDisabledBy" | "autoDisabledBy">>;

/** Returns the file that rules a mode out. */
function disablerOf(mode: PermissionMode, { bypassDisabledBy, autoDisabledBy }: ModeLocks): string | undefined {
  return mode === "bypassPermissions" ? bypassDisabledBy : mode === "auto" ? autoDisabledBy : undefined;
}

/** Returns why a mode is not available; undefined if it is. */
export function modeRefusal(mode: PermissionMode, locks: ModeLocks): string | undefined {
  const by = disablerOf(mode, locks);
  return by === undefined ? undefined : `The mode ${mode} is not available: ${by} rules it out.`;
}

/** Leaves the current mode if it is ruled out now. */
export function leaveDisabledMode(permissions: Permissions, locks: ModeLocks, notice: (text: string) => void): void {
  if (locks.bypassDisabledBy === undefined && locks.autoDisabledBy === undefined) return;
  const mode = permissions.getMode();
  const by = disablerOf(mode, locks);
  if (by === undefined) return;
  permissions.setMode("default");
  notice(`${by} rules out the mode ${mode}: the mode is default from now on.`);
}

/** Combines two sets of locks: what either rules out is ruled out. */
export function combineLocks(old: Locks, found: Locks): Locks {
  const isExempt = (path: string): boolean => old.outside.reads === undefined || old.outside.exempt.includes(path);
  return {
    bypassDisabledBy: old.bypassDisabledBy ?? found.bypassDisabledBy,
    autoDisabledBy: old.autoDisabledBy ?? found.autoDisabledBy,
    deniesInsteadOfAsking: old.deniesInsteadOfAsking || found.deniesInsteadOfAsking,
    outside: {
      reads: old.outside.reads ?? found.outside.reads,
      writes: old.outside.writes ?? found.outside.writes,
      exempt: (found.outside.reads === undefined ? old : found).outside.exempt.filter(isExempt),
    },
  };
}
