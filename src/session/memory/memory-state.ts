/** When notes were last consolidated, and which sessions have added to them since. Stored beside the notes, where no fork can write. */
import { join } from "node:path";
import { writeFileAtomically } from "../../lib/atomic-write.ts";
import { tryParseRecord } from "../../lib/try-parse-json.ts";
import { readRegularFile } from "../../lib/regular-file.ts";

/** Consolidation is due once both limits are reached. */
const sessionsUntilDue = 5;
const dueAfterMs = 24 * 60 * 60_000;
const maxSessions = 1_000;

export interface MemoryState {
  /** The owner of the notes: projects whose paths differ only in punctuation share a folder. Undefined before any notes were kept. */
  project?: string | undefined;
  /** ms since the epoch: the last consolidation, or else the first note. */
  since: number;
  /** Ids of the sessions that have added notes since. */
  sessions: string[];
}

const maxBytes = 1024 * 1024;
const fileName = ".state.json";

/** An unreadable state counts as empty: consolidation then happens a little later. */
export function readMemoryState(folder: string, now: number): MemoryState {
  const { since, sessions } = readFields(folder);
  const project = projectOfNotes(folder);
  const isFit = typeof since === "number" && since <= now && Array.isArray(sessions);
  if (!isFit) return { project, since: now, sessions: [] };
  return { project, since, sessions: sessions.filter((id) => typeof id === "string").slice(-maxSessions) };
}

export function projectOfNotes(folder: string): string | undefined {
  const { project } = readFields(folder);
  return typeof project === "string" ? project : undefined;
}

function readFields(folder: string): Partial<Record<keyof MemoryState, unknown>> {
  const read = readRegularFile(join(folder, fileName), maxBytes);
  return (read.ok ? tryParseRecord(read.text) : undefined) ?? {};
}

export async function writeMemoryState(folder: string, state: MemoryState): Promise<void> {
  await writeFileAtomically(join(folder, fileName), Buffer.from(`${JSON.stringify(state)}\n`), { mode: 0o600 });
}

export function isConsolidationDue({ since, sessions }: MemoryState, now: number): boolean {
  return sessions.length >= sessionsUntilDue && now - since >= dueAfterMs;
}
