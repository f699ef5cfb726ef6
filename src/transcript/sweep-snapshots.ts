/** Retention of what the snapshots of a folder's sessions share: what no session relies on goes, some time after its last use. */
import { join } from "node:path";
import { systemCode } from "../lib/system-reason.ts";
import { nodeFileSystem, type TranscriptFileSystem } from "./file-system.ts";
import { eachLine } from "./lines.ts";
import { namesIn } from "./list.ts";
import { openToRead } from "./read.ts";
import { isSessionId, snapshotLogPath, snapshotsFolder } from "./paths.ts";

const form = /^(?:([0-9a-f-]{36})\.(?:pack|tree)|\.pawl-\d+-[0-9a-f]{18}\.tmp)$/;
/** Each line of a log begins with what it is the first to rely on. */
const usesStart = '{"uses":';

/** `before`: ms since the epoch; what was used since stays. Yields between sessions. */
export function* sweepSnapshots(fs: TranscriptFileSystem, project: string, before: number): Generator<void, void> {
  const folder = snapshotsFolder(join(project, "any.jsonl"));
  const isOld = (name: string): boolean => (fs.statusOf(join(folder, name))?.modifiedAt ?? Infinity) < before;
  const old = namesIn(fs, folder).filter((name) => form.test(name) && isOld(name));
  if (old.length === 0) return;
  const used = new Set<string>();
  for (const name of namesIn(fs, project)) {
    if (!isSessionId(name)) continue;
    for (const each of usesIn(fs, snapshotLogPath(join(project, `${name}.jsonl`)))) used.add(each);
    yield;
  }
  // Looked at again: a session that began meanwhile may have found it, and its log not be written yet.
  for (const name of old) if (!used.has(form.exec(name)?.[1] ?? "") && isOld(name)) fs.remove(join(folder, name));
}

/** A session that runs may not have said yet what it relies on, ms. */
const unsaidMs = 60 * 60 * 1_000;

/** Of sessions that were removed just now: what none of the others relies on. Where that cannot be told, all stays until it can. */
export function releaseSnapshots(project: string, now: number, fs: TranscriptFileSystem = nodeFileSystem): void {
  const steps = sweepSnapshots(fs, project, now - unsaidMs);
  try {
    while (steps.next().done !== true);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
  }
}

/** Throws where a log is there and cannot be read: then nothing may go. */
function usesIn(fs: TranscriptFileSystem, log: string): string[] {
  if (fs.statusOf(log) === undefined) return [];
  const uses: string[] = [];
  const descriptor = openToRead(fs, log);
  try {
    eachLine(fs, descriptor, {}, ({ bytes }) => {
      const start = bytes?.toString("latin1", 0, Math.min(bytes.length, bytes.indexOf(0x5d) + 1)) ?? "";
      if (start.startsWith(usesStart)) uses.push(...(start.match(/[0-9a-f-]{36}/g) ?? []));
    });
  } finally {
    fs.close(descriptor);
  }
  return uses;
}
