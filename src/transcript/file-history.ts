/** The contents that files had before they were changed: each content is stored once, under the SHA-256 of its bytes. */
import { hash as digest } from "node:crypto";
import { join } from "node:path";
import { systemCode } from "../lib/system-reason.ts";
import { readWholeFile, replaceFile } from "./file-io.ts";
import { nodeFileSystem, type TranscriptFileSystem } from "./file-system.ts";

export interface KeepOptions {
  /** Wait until the bytes are on the medium. */
  flush: boolean;
  fs?: TranscriptFileSystem;
}

/**
 * Stores `bytes` in `folder`, which is created if necessary, and returns their hash. They appear completely or not at all. Throws the
 * system's error. Synchronous: for most files that is faster than one trip through the thread pool. One caller per folder at a time.
 */
export function keepContent(folder: string, bytes: Uint8Array, options: KeepOptions): string {
  const { flush, fs = nodeFileSystem } = options;
  const hash = digest("sha256", bytes, "hex");
  const path = join(folder, hash);
  const existing = fs.statusOf(path);
  if (existing?.isFile === true && existing.size === bytes.length) return hash;
  const draft = `${path}.tmp`;
  replaceFile(fs, bytes, { descriptor: createTemporary(fs, folder, draft), draft, path, flush });
  return hash;
}

function createTemporary(fs: TranscriptFileSystem, folder: string, path: string): number {
  try {
    return fs.open(path, "create");
  } catch (error) {
    if (systemCode(error) === "ENOENT") fs.makeFolder(folder);
    // Left by an earlier process that died while writing.
    else if (systemCode(error) === "EEXIST") fs.remove(path);
    else throw error;
    return fs.open(path, "create");
  }
}

/** Returns the bytes stored under `hash`; undefined if they are missing or damaged. Throws any other error of the system. */
export function loadContent(
  folder: string,
  hash: string,
  fs: TranscriptFileSystem = nodeFileSystem,
): Buffer | undefined {
  try {
    const bytes = readWholeFile(fs, join(folder, hash));
    return digest("sha256", bytes, "hex") === hash ? bytes : undefined;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
