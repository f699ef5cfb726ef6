/** When notes were consolidated last, and which sessions have added to them since: beside the notes, where no fork can write. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "../../lib/atomic-write.ts";

/** Consolidation is due once both hold. */
export const dueSessions = 5;
export const dueAfterMs = 24 * 60 * 60_000;
const mostSessions = 1_000;

export interface MemoryState {
  /** ms since the epoch: the last consolidation, else the first note. */
  since: number;
  /** Ids of sessions that have added notes since. */
  sessions: string[];
}

const fileName = ".state.json";

/** What cannot be read counts as nothing: the notes are looked after a little later. */
export function readMemoryState(folder: string, now: number): MemoryState {
  try {
    const { since, sessions } = JSON.parse(readFileSync(join(folder, fileName), "utf8")) as Partial<MemoryState>;
    const isFit = typeof since === "number" && since <= now && Array.isArray(sessions);
    if (isFit) return { since, sessions: sessions.filter((id) => typeof id === "string").slice(-mostSessions) };
  } catch {
    // There is none yet, or somebody has spoilt it.
  }
  return { since: now, sessions: [] };
}

export async function writeMemoryState(folder: string, state: MemoryState): Promise<void> {
  await writeFileAtomically(join(folder, fileName), Buffer.from(`${JSON.stringify(state)}\n`), { mode: 0o600 });
}

export function isDue({ since, sessions }: MemoryState, now: number): boolean {
  return sessions.length >= dueSessions && now - since >= dueAfterMs;
}
