/** The kept file contents of a session, for its copy: the same files under a second name if the system allows links. */
import { dirname, join } from "node:path";
import { systemCode } from "../lib/system-reason.ts";
import { readWholeFile, writeNewFile } from "./file-io.ts";
import type { TranscriptFileSystem } from "./file-system.ts";
import { listNames } from "./list-sessions.ts";
import { fileHistoryFolder, snapshotLogPath } from "./paths.ts";

/** `from` and `to` are transcript paths. Throws the system's error; nothing is then left at `to`. */
export function copyHistory(fs: TranscriptFileSystem, from: string, to: string): void {
  const [source, target] = [fileHistoryFolder(from), fileHistoryFolder(to)];
  const names = listNames(fs, source).filter((name) => /^[0-9a-f]{64}$/.test(name));
  let isWhole = false;
  try {
    if (names.length > 0) fs.makeFolder(target);
    for (const name of names) copyContent(fs, join(source, name), join(target, name));
    copySnapshots(fs, from, to);
    isWhole = true;
  } finally {
    if (!isWhole) for (const path of [target, snapshotLogPath(to)]) fs.remove(path);
  }
}

/** Copies only the log, to which both sessions will append: its packs are shared by the sessions of one folder, and exist in no other. */
function copySnapshots(fs: TranscriptFileSystem, from: string, to: string): void {
  const [source, target] = [snapshotLogPath(from), snapshotLogPath(to)];
  if (dirname(from) !== dirname(to) || fs.statusOf(source) === undefined) return;
  fs.makeFolder(dirname(target));
  copyBytes(fs, source, target);
}

/** Kept contents are never written to again, so two sessions can share one file. */
function copyContent(fs: TranscriptFileSystem, from: string, to: string): void {
  try {
    return fs.link(from, to);
  } catch (error) {
    // Another file system, or one without links: copy the bytes instead.
    if (systemCode(error) === undefined) throw error;
  }
  copyBytes(fs, from, to);
}

export function copyBytes(fs: TranscriptFileSystem, from: string, to: string): void {
  writeNewFile(fs, to, readWholeFile(fs, from));
}
