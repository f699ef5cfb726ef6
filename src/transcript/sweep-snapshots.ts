/** Retention of snapshot data that a folder's sessions share: data that no session uses is removed some time after its last use. */
import { join } from "node:path";
import { systemCode } from "../lib/system-reason.ts";
import { nodeFileSystem, type TranscriptFileSystem } from "./file-system.ts";
import { eachLine } from "./lines.ts";
import { listNames } from "./list-sessions.ts";
import { openForReading } from "./read.ts";
import { isSessionId, snapshotLogPath, snapshotsFolder } from "./paths.ts";

const snapshotFileName = /^(?:([0-9a-f-]{36})\.(?:pack|tree)|\.pawl-\d+-[0-9a-f]{18}\.tmp)$/;
/** Each line of a log begins with the data that it is the first to use. */
const usesStart = '{"uses":';

/** `before`: ms since the epoch. Keeps what was used since then. Yields between sessions. */
export function* sweepSnapshots(fs: TranscriptFileSystem, project: string, before: number): Generator<void, void> {
  const folder = snapshotsFolder(join(project, "any.jsonl"));
  const isOld = (name: string): boolean => (fs.statusOf(join(folder, name))?.modifiedAt ?? Infinity) < before;
  const old = listNames(fs, folder).filter((name) => snapshotFileName.test(name) && isOld(name));
  if (old.length === 0) return;
  const used = new Set<string>();
  for (const name of listNames(fs, project)) {
    if (!isSessionId(name)) continue;
    for (const each of readUses(fs, snapshotLogPath(join(project, `${name}.jsonl`)))) used.add(each);
    yield;
  }
  // Check the time again: a session that began in the meantime may use the data before its log says so.
  for (const name of old)
    if (!used.has(snapshotFileName.exec(name)?.[1] ?? "") && isOld(name)) fs.remove(join(folder, name));
}

/** How long a running session may take to record what it uses, ms. */
const recordingGraceMs = 60 * 60 * 1_000;

/** After sessions were removed, removes data that no other session uses. If that cannot be determined, everything stays until it can. */
export function releaseSnapshots(project: string, now: number, fs: TranscriptFileSystem = nodeFileSystem): void {
  const steps = sweepSnapshots(fs, project, now - recordingGraceMs);
  try {
    while (steps.next().done !== true);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
  }
}

/** Throws if a log exists but cannot be read: then nothing may be removed. */
function readUses(fs: TranscriptFileSystem, log: string): string[] {
  if (fs.statusOf(log) === undefined) return [];
  const uses: string[] = [];
  const descriptor = openForReading(fs, log);
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
