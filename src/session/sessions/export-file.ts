/** Writes a session's document to a file, which appears complete or not at all. */
import { closeSync, linkSync, lstatSync, openSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { temporaryPathBeside } from "../../lib/atomic-write.ts";
import { statusAt } from "../../lib/status-at.ts";
import { reasonOf, systemCode } from "../../lib/system-reason.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { sessionFileOf } from "../../transcript/index.ts";
import { removeAbandonedBeside } from "../store/abandoned-writes.ts";
import { exportSession, type ExportFormat } from "./export.ts";

/** Throws `UsageError` if the file already exists or cannot be written. */
export function exportToFile(
  file: string,
  { format, ...session }: { path: string; sessionId: string; format: ExportFormat },
): void {
  writePieces(file, exportSession(sessionFileOf(session), format), {});
}

interface WriteOptions {
  /** Replaces an existing file. */
  force?: boolean;
  /** The advice if the file exists. */
  remedy?: string;
}

/** Throws `UsageError`; a file that was to be replaced then still has its old content. */
export function writePieces(file: string, pieces: Iterable<string>, options: WriteOptions): void {
  const { force = false, remedy = "name another file" } = options;
  const failed = (error: unknown): UsageError =>
    systemCode(error) === "EEXIST"
      ? new UsageError(`${file} is there already, and is not replaced: ${remedy}.`)
      : new UsageError(`${file} cannot be written: ${reasonOf(error)}.`, { cause: error });
  const attempt = <Value>(work: () => Value): Value => {
    try {
      return work();
    } catch (error) {
      throw failed(error);
    }
  };
  const there = force ? statusAt(file) : undefined;
  // A device or a pipe is written to directly: nothing replaces it, and there is nothing to remove.
  if (there?.isFile() === false) {
    const descriptor = attempt(() => openSync(file, "w"));
    return writeAllPieces(descriptor, pieces, attempt);
  }
  if (!force) attempt(() => assertFree(file));
  const replaced = there === undefined ? undefined : realpathSync(file);
  // Written beside the target, so that a process killed meanwhile leaves no half file under the target's name.
  const draft = temporaryPathBeside(replaced ?? file);
  removeAbandonedBeside(draft);
  // A conversation is private to its owner.
  const descriptor = attempt(() => openSync(draft, "wx", 0o600));
  try {
    writeAllPieces(descriptor, pieces, attempt);
    attempt(() => (replaced === undefined ? moveIfAbsent(draft, file) : renameSync(draft, replaced)));
  } finally {
    rmSync(draft, { force: true });
  }
}

type Attempt = <Value>(work: () => Value) => Value;

function writeAllPieces(descriptor: number, pieces: Iterable<string>, attempt: Attempt): void {
  try {
    for (const piece of pieces) attempt(() => writeFileSync(descriptor, Buffer.from(piece)));
  } finally {
    closeSync(descriptor);
  }
}

/** Fails before the whole document is made in vain. Throws the system's error. */
function assertFree(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined)
    throw Object.assign(new Error(`${file} is there`), { code: "EEXIST" });
}

/** Throws `EEXIST` if somebody else has created the file meanwhile. */
function moveIfAbsent(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(systemCode(error) ?? "")) throw error;
    // The file system has no hard links.
    closeSync(openSync(file, "wx", 0o600));
    renameSync(draft, file);
  }
}
