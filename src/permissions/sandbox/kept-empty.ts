/** Names of folders that are created empty if missing, so that a command cannot put anything there. Git ignores empty folders. */
import { lstatSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { pathExists } from "../../lib/path-status.ts";
import { tryParseJson } from "../../lib/try-parse-json.ts";
import { readRegularFile } from "../../lib/regular-file.ts";

const keptEmptyNames = [".claude", ".pawl"];
/** A file in the session's own folder, so that a later session can clean up if this one is killed. */
const noteName = "kept-empty.json";
const maxNoteLength = 1 << 20;

/** How many sessions of this process keep each folder: one may rely on a folder that another has made. */
const keeperCounts = new Map<string, number>();

/**
 * Creates the folders that are kept empty, or shares those of other sessions; existing ones are not touched. Returns those not in `known`
 * yet. `base` is the session's own folder, where the paths are noted before they are created.
 */
export function createEmptyFolders(folder: string, known: ReadonlySet<string>, base: string): string[] {
  const git = join(folder, ".git");
  const repository = lstatSync(git, { throwIfNoEntry: false })?.isDirectory() === true ? [join(git, "hooks")] : [];
  const all = [...keptEmptyNames.map((name) => join(folder, name)), ...repository];
  const missing = all.filter((path) => !pathExists(path));
  if (missing.length > 0) writeNote(base, [...known, ...missing]);
  const kept = all.filter((path) => {
    const isMade = makeFolder(path);
    return !known.has(path) && (isMade || keeperCounts.has(path));
  });
  for (const path of kept) keeperCounts.set(path, (keeperCounts.get(path) ?? 0) + 1);
  return kept;
}

function writeNote(base: string, paths: readonly string[]): void {
  try {
    writeFileSync(join(base, noteName), JSON.stringify(paths), { mode: 0o600 });
  } catch {
    // The disk may be full; at worst an empty folder is left behind.
  }
}

/** False if something exists there or the folder cannot be created: then a command cannot create it either. */
function makeFolder(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Removes folders that no session keeps any more, if they are still empty. */
export function releaseEmptyFolders(paths: Iterable<string>): void {
  for (const path of paths) {
    const left = (keeperCounts.get(path) ?? 1) - 1;
    if (left > 0) keeperCounts.set(path, left);
    else {
      keeperCounts.delete(path);
      removeFolder(path);
    }
  }
}

/** Does the same for a session whose process was killed. `base` is that session's own folder. */
export function releaseLeftoverFolders(base: string): void {
  const read = readRegularFile(join(base, noteName), maxNoteLength);
  const record = read.ok ? tryParseJson(read.text) : undefined;
  if (!Array.isArray(record)) return;
  for (const path of record)
    if (typeof path === "string" && isKeptEmptyPath(path) && !keeperCounts.has(path)) removeFolder(path);
}

function isKeptEmptyPath(path: string): boolean {
  const names = [...keptEmptyNames, join(".git", "hooks")];
  return isAbsolute(path) && names.some((name) => path.endsWith(join("/", name)));
}

function removeFolder(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Somebody has put something into the folder or removed it, so it is theirs now.
  }
}
