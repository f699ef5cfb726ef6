/** Reads the current state of a file, for backing it up and restoring it: never through a link, never a device. */
import { closeSync, constants, fstatSync, openSync, realpathSync, type Stats } from "node:fs";
import { dirname, join, relative } from "node:path";
import { entryStatus } from "../../lib/path-status.ts";
import { hasErrorCode } from "../../lib/error-text.ts";
import { readBytes } from "../../lib/read-bytes.ts";
import type { NotKeptReason } from "../../transcript/index.ts";

export type Look =
  | { kind: "absent" }
  | { kind: "file"; bytes: Buffer; stats: Stats }
  | { kind: "not_kept"; why: NotKeptReason };

/** Throws the file system's errors. */
export function lookAt(path: string, maxBytes: number): Look {
  const seen = entryStatus(path);
  if (seen === undefined) return { kind: "absent" };
  const why = reasonNotToKeep(seen, maxBytes);
  if (why !== undefined) return { kind: "not_kept", why };
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return { kind: "absent" };
    if (hasErrorCode(error, "ELOOP")) return { kind: "not_kept", why: "symbolic_link" };
    throw error;
  }
  try {
    // The opened file may not be the one looked at before.
    const stats = fstatSync(descriptor);
    const now = reasonNotToKeep(stats, maxBytes);
    return now === undefined
      ? { kind: "file", bytes: readBytes(descriptor, 0, stats.size), stats }
      : { kind: "not_kept", why: now };
  } finally {
    closeSync(descriptor);
  }
}

/** Whether `path` is still what `look` saw. */
export function matchesLook(path: string, look: Look): boolean {
  const now = entryStatus(path);
  if (look.kind !== "file") return look.kind === "absent" && now === undefined;
  const { ino, dev, mtimeMs, size, nlink } = look.stats;
  return (
    now?.isFile() === true &&
    now.ino === ino &&
    now.dev === dev &&
    now.mtimeMs === mtimeMs &&
    now.size === size &&
    now.nlink === nlink
  );
}

/** Returns `path` without symbolic links, as far as its folders exist. */
export function resolveParentLinks(path: string): string {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    try {
      return join(realpathSync(folder), relative(folder, path));
    } catch (error) {
      const isMissing = hasErrorCode(error, "ENOENT") || hasErrorCode(error, "ENOTDIR");
      if (!isMissing || folder === dirname(folder)) throw error;
    }
  }
}

function reasonNotToKeep(stats: Stats, maxBytes: number): NotKeptReason | undefined {
  if (stats.isSymbolicLink()) return "symbolic_link";
  if (!stats.isFile()) return "not_regular";
  if (stats.nlink > 1) return "hard_link";
  return stats.size > maxBytes ? "too_large" : undefined;
}
