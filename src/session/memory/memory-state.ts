/** When notes were consolidated last, and which sessions have added to them since: beside the notes, where no fork can write. */
import { join } from "node:path";
import { writeFileAtomically } from "../../lib/atomic-write.ts";
import { recordIn } from "../../lib/json-in.ts";
import { readRegularFile } from "../../lib/regular-file.ts";

/** Consolidation is due once both hold. */
export const dueSessions = 5;
export const dueAfterMs = 24 * 60 * 60_000;
const mostSessions = 1_000;

export interface MemoryState {
  /** Whose notes they are: projects whose paths differ in punctuation alone have one folder. Undefined before any were kept. */
  project?: string | undefined;
  /** ms since the epoch: the last consolidation, else the first note. */
  since: number;
  /** Ids of sessions that have added notes since. */
  sessions: string[];
}

const mostBytes = 1024 * 1024;
const fileName = ".state.json";

/** What cannot be read counts as nothing: the notes are looked after a little later. */
export function readMemoryState(folder: string, now: number): MemoryState {
  const { since, sessions } = fieldsOf(folder);
  const project = projectOfNotes(folder);
  const isFit = typeof since === "number" && since <= now && Array.isArray(sessions);
  if (!isFit) return { project, since: now, sessions: [] };
  return { project, since, sessions: sessions.filter((id) => typeof id === "string").slice(-mostSessions) };
}

export function projectOfNotes(folder: string): string | undefined {
  const { project } = fieldsOf(folder);
  return typeof project === "string" ? project : undefined;
}

function fieldsOf(folder: string): Partial<Record<keyof MemoryState, unknown>> {
  const read = readRegularFile(join(folder, fileName), mostBytes);
  return (read.ok ? recordIn(read.text) : undefined) ?? {};
}

export async function writeMemoryState(folder: string, state: MemoryState): Promise<void> {
  await writeFileAtomically(join(folder, fileName), Buffer.from(`${JSON.stringify(state)}\n`), { mode: 0o600 });
}

export function isDue({ since, sessions }: MemoryState, now: number): boolean {
  return sessions.length >= dueSessions && now - since >= dueAfterMs;
}
