/** A session's document into a file, which appears whole or not at all. */
import { closeSync, linkSync, lstatSync, openSync, realpathSync, renameSync, rmSync, writeSync } from "node:fs";
import { temporaryBeside } from "../../lib/atomic-write.ts";
import { statusAt } from "../../lib/status-at.ts";
import { reasonOf, systemCode } from "../../lib/system-reason.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { nodeFileSystem } from "../../transcript/index.ts";
import { removeAbandonedBeside } from "../files/abandoned-writes.ts";
import { exportSession, type ExportFormat } from "./export.ts";

/** Throws `UsageError` where the file is there already, or cannot be written. */
export function exportTo(
  file: string,
  { path, sessionId, format }: { path: string; sessionId: string; format: ExportFormat },
): void {
  const { size = 0, modifiedAt = 0 } = nodeFileSystem.statusOf(path) ?? {};
  writePieces(file, exportSession({ sessionId, path, sizeBytes: size, modifiedAt }, format), {});
}

interface WriteOptions {
  /** A file that is there is replaced. */
  force?: boolean;
  /** What to do where one is there. */
  remedy?: string;
}

/** Throws `UsageError`; what was in a file that was to be replaced is in it then. */
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
  // A device or a pipe: nothing is put in its place, and there is nothing to take away.
  if (there?.isFile() === false) {
    const descriptor = attempt(() => openSync(file, "w"));
    return fill(descriptor, pieces, attempt);
  }
  if (!force) attempt(() => assertFree(file));
  const replaced = there === undefined ? undefined : realpathSync(file);
  // A process that is killed meanwhile leaves no half of it under its name.
  const draft = temporaryBeside(replaced ?? file);
  removeAbandonedBeside(draft);
  // A conversation is its owner's: nobody else reads it.
  const descriptor = attempt(() => openSync(draft, "wx", 0o600));
  try {
    fill(descriptor, pieces, attempt);
    attempt(() => (replaced === undefined ? placeNew(draft, file) : renameSync(draft, replaced)));
  } finally {
    rmSync(draft, { force: true });
  }
}

type Attempt = <Value>(work: () => Value) => Value;

function fill(descriptor: number, pieces: Iterable<string>, attempt: Attempt): void {
  try {
    for (const piece of pieces) attempt(() => writeAll(descriptor, piece));
  } finally {
    closeSync(descriptor);
  }
}

/** Before all of it is made for nothing. Throws the system's error. */
function assertFree(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined)
    throw Object.assign(new Error(`${file} is there`), { code: "EEXIST" });
}

/** Throws `EEXIST` where somebody else has put something there. */
function placeNew(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(systemCode(error) ?? "")) throw error;
    // A file system without links.
    closeSync(openSync(file, "wx", 0o600));
    renameSync(draft, file);
  }
}

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}
