/** What settings rule out for everybody, whatever is asked or answered. */
import type { Settings } from "../settings/settings.ts";

export interface Locks {
  bypassDisabledBy: string | undefined;
  deniesInsteadOfAsking: boolean;
}

export function locksOf({ permissions }: Settings): Locks {
  const { bypassDisabledBy, deniesInsteadOfAsking = false } = permissions;
  return { bypassDisabledBy, deniesInsteadOfAsking };
}
