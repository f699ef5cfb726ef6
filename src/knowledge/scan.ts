/** Scans the files of a folder of any shape: bounded in depth and number, each folder once, and without links that lead out of bounds. */
import { readdirSync, realpathSync, type Dirent } from "node:fs";
import { basename, join } from "node:path";
import { brokenLinkReason, isBrokenLink, isFolder } from "../lib/path-status.ts";
import { isWithin } from "../lib/is-within.ts";
import { readRegularFile, type RegularFile } from "../lib/regular-file.ts";
import { reasonOf } from "../lib/system-reason.ts";
import type { KnowledgeProblem } from "../protocol/knowledge.ts";

export interface ScanOptions {
  /** Which file names to collect. */
  accepts: (name: string) => boolean;
  bounds?: Bounds;
  /** Whether a folder with such a file belongs to that file, with everything in it. Default: never. */
  ownsEverythingBelow?: (folder: string) => boolean;
  /** Whether to follow a link that leads out of bounds; its target is then in bounds. Default: never. */
  follows?: (path: string, real: string) => boolean;
}

/** Folders whose files may be shown, also through a link. Real paths; the scanned folder is added. */
export type Bounds = readonly string[] | "anywhere";

/** Files in a user's or an administrator's folder may be stored anywhere: many people have only links there. */
export function linkBounds(source: string, bounds: Bounds): Bounds {
  return source === "user" || source === "policy" ? "anywhere" : bounds;
}

export interface Scanned {
  /** Absolute, sorted. */
  paths: string[];
  problems: KnowledgeProblem[];
}

const maxEntries = 20_000;
const maxFiles = 5_000;
const maxDepth = 8;

/** Scans a folder, or a file in the place of one. */
export function scanFolder(folder: string, options: ScanOptions): Scanned {
  const { accepts, bounds = [], ownsEverythingBelow = () => false, follows = () => false } = options;
  const scanned: Scanned = { paths: [], problems: [] };
  const top = realOf(folder);
  if (top === undefined) {
    if (isBrokenLink(folder)) scanned.problems.push({ path: folder, reason: brokenLinkReason });
    return scanned;
  }
  if (!isFolder(top)) return scanSingleFile(folder, top, options);
  const folders = bounds === "anywhere" ? [] : [...bounds, top];
  const allowed = bounds === "anywhere" ? bounds : folders;
  const seen = new Set<string>();
  let entries = 0;
  let exceededLimit: string | undefined;
  const visitEntry = (entry: Dirent, path: string, depth: number): void => {
    const { name } = entry;
    const real = entry.isSymbolicLink() ? realOf(path) : undefined;
    if (real !== undefined && !isWithinAny(allowed, real) && (accepts(name) || isFolder(real)) && follows(path, real))
      folders.push(real);
    const reason = entry.isSymbolicLink() ? reasonNotFollowed(real, allowed) : undefined;
    if (reason !== undefined) {
      const isMissed = accepts(name) ? !isEmacsLock(name) : depth === 0 && mayBeFolder(entry, path);
      if (isMissed) scanned.problems.push({ path, reason });
    } else if (isDirectory(entry, path)) {
      if (depth < maxDepth && name !== "node_modules" && name !== ".git") visitFolder(path, depth + 1);
    } else if (!accepts(name)) return;
    else if (scanned.paths.length === maxFiles) exceededLimit = `${maxFiles} files of this kind`;
    else scanned.paths.push(path);
  };
  const visitFolder = (path: string, depth: number): void => {
    const real = realOf(path);
    if (real === undefined || seen.has(real)) return;
    seen.add(real);
    const all = entriesOf(path, scanned.problems);
    const isOwn = (entry: Dirent): boolean => accepts(entry.name) && isExistingFile(entry, join(path, entry.name));
    const own = ownsEverythingBelow(path) ? all.filter(isOwn) : [];
    for (const entry of own.length > 0 ? own : all) {
      if (++entries > maxEntries) exceededLimit ??= `${maxEntries} files and folders`;
      if (exceededLimit !== undefined) return;
      visitEntry(entry, join(path, entry.name), depth);
    }
  };
  visitFolder(folder, 0);
  if (exceededLimit !== undefined)
    scanned.problems.push({ path: folder, reason: `it holds more than ${exceededLimit}; the rest was left out` });
  return scanned;
}

/** Scans the skills below a folder. What is in a skill's folder belongs to that skill; a skill file directly in `skills` owns no folder. */
export function scanSkills(folder: string, bounds: Bounds): Scanned {
  return scanFolder(folder, {
    accepts: (name) => /^skill\.md$/iu.test(name),
    bounds,
    ownsEverythingBelow: (path) => path !== folder || basename(path) !== "skills",
  });
}

/** Accepts a single file where a folder could be named. */
function scanSingleFile(path: string, real: string, { accepts, bounds = [] }: ScanOptions): Scanned {
  const reason = isWithinAny(bounds, real)
    ? "it is not a file of this kind"
    : "it is a link that leads out of the project";
  return accepts(basename(path)) && isWithinAny(bounds, real)
    ? { paths: [path], problems: [] }
    : { paths: [], problems: [{ path, reason }] };
}

/** Returns the text of a file of limited size, or why there is none. */
export function readText(path: string, maxBytes = 1024 * 1024): RegularFile {
  const read = readRegularFile(path, maxBytes);
  if (read.ok) return read.text.includes("\0") ? { ok: false, why: "it is not text" } : read;
  return isBrokenLink(path) ? { ok: false, why: brokenLinkReason } : read;
}

export function isWithinAny(folders: Bounds, path: string | undefined): boolean {
  return path !== undefined && (folders === "anywhere" || folders.some((folder) => isWithin(path, folder)));
}

const instructionName = /\.(?:md|mdc|mdx|markdown|txt)$/iu;

/** Returns why a link to that target is not followed; undefined if it is followed. A project's link could name its user's `.env`. */
function reasonNotFollowed(real: string | undefined, allowed: Bounds): string | undefined {
  if (real === undefined) return brokenLinkReason;
  if (!isWithinAny(allowed, real)) return "it is a link that leads out of the project";
  if (allowed === "anywhere" || instructionName.test(real) || isFolder(real)) return undefined;
  return "it is a link to a file whose name does not end in .md, .mdc, .mdx, .markdown or .txt";
}

/** Whether the name is an Emacs lock: a link that says who has unsaved changes to a file. */
function isEmacsLock(name: string): boolean {
  return name.startsWith(".#");
}

function isExistingFile(entry: Dirent, path: string): boolean {
  return !isDirectory(entry, path) && !isBrokenLink(path);
}

/** If the target is missing, only the name can tell. */
function mayBeFolder(entry: Dirent, path: string): boolean {
  return isDirectory(entry, path) || (isBrokenLink(path) && !entry.name.includes("."));
}

/** Returns undefined if nothing is there, or it is not accessible. */
export function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

function entriesOf(folder: string, problems: KnowledgeProblem[]): Dirent[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR")
      problems.push({ path: folder, reason: `it cannot be read: ${reasonOf(error)}` });
    return [];
  }
}

function isDirectory(entry: Dirent, path: string): boolean {
  return entry.isSymbolicLink() ? isFolder(path) : entry.isDirectory();
}
