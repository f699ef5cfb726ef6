/** A session's document into a file, which appears whole or not at all. */
import { closeSync, openSync, realpathSync, renameSync, rmSync, writeSync } from "node:fs";
import { temporaryBeside } from "../../lib/atomic-write.ts";
import { statusAt } from "../../lib/status-at.ts";
import { reasonOf, systemCode } from "../../lib/system-reason.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { nodeFileSystem } from "../../transcript/index.ts";
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
  const there = options.force === true ? statusAt(file) : undefined;
  const replaced = there?.isFile() === true ? realpathSync(file) : undefined;
  const path = replaced === undefined ? file : temporaryBeside(replaced);
  // Of a device or a pipe there is nothing to take away.
  const isOwn = there === undefined || replaced !== undefined;
  const failed = (error: unknown): UsageError => {
    const { remedy = "name another file" } = options;
    return systemCode(error) === "EEXIST"
      ? new UsageError(`${file} is there already, and is not replaced: ${remedy}.`)
      : new UsageError(`${file} cannot be written: ${reasonOf(error)}.`, { cause: error });
  };
  const attempt = <Value>(work: () => Value): Value => {
    try {
      return work();
    } catch (error) {
      throw failed(error);
    }
  };
  // A conversation is its owner's: nobody else reads it.
  const descriptor = attempt(() => openSync(path, isOwn ? "wx" : "w", 0o600));
  let isWhole = false;
  try {
    for (const piece of pieces) attempt(() => writeAll(descriptor, piece));
    if (replaced !== undefined) attempt(() => renameSync(path, replaced));
    isWhole = true;
  } finally {
    closeSync(descriptor);
    if (!isWhole && isOwn) rmSync(path, { force: true });
  }
}

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}
