/** The kept contents of a session for its copy: the same files under a second name where the system allows that. */
import { join } from "node:path";
import { systemCode } from "./error.ts";
import { openRegular, readRange, writeAll } from "./file-io.ts";
import type { TranscriptFileSystem } from "./file-system.ts";
import { namesIn } from "./list.ts";
import { fileHistoryFolder } from "./paths.ts";

/** `from` and `to` are transcripts. Throws the system's error; nothing is then left at `to`. */
export function copyHistory(fs: TranscriptFileSystem, from: string, to: string): void {
  const [source, target] = [fileHistoryFolder(from), fileHistoryFolder(to)];
  const names = namesIn(fs, source).filter((name) => /^[0-9a-f]{64}$/.test(name));
  if (names.length === 0) return;
  let isWhole = false;
  try {
    fs.makeFolder(target);
    for (const name of names) copyContent(fs, join(source, name), join(target, name));
    isWhole = true;
  } finally {
    if (!isWhole) fs.remove(target);
  }
}

/** Contents are never written to again, so that two sessions can share one. */
function copyContent(fs: TranscriptFileSystem, from: string, to: string): void {
  try {
    return fs.link(from, to);
  } catch (error) {
    // Another file system, or one without links: a copy does as well.
    if (systemCode(error) === undefined) throw error;
  }
  const source = openRegular(fs, from, "read");
  try {
    const target = fs.open(to, "create");
    try {
      writeAll(fs, target, readRange(fs, source, 0, fs.status(source).size));
    } finally {
      fs.close(target);
    }
  } finally {
    fs.close(source);
  }
}
