/** A session's document into a file, which appears whole or not at all. */
import { errorText } from "../../lib/error-text.ts";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
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

export function writePieces(file: string, pieces: Iterable<string>, options: WriteOptions): void {
  const descriptor = openNew(file, options);
  let isWhole = false;
  try {
    for (const piece of pieces) writeAll(descriptor, piece);
    isWhole = true;
  } finally {
    closeSync(descriptor);
    if (!isWhole) rmSync(file, { force: true });
  }
}

/** A conversation is its owner's: nobody else reads it. */
function openNew(path: string, { force = false, remedy = "name another file" }: WriteOptions): number {
  try {
    return openSync(path, force ? "w" : "wx", 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw new UsageError(`${path} is there already, and is not replaced: ${remedy}.`);
    throw new UsageError(`${path} cannot be written (${code ?? errorText(error)}).`, { cause: error });
  }
}

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}
