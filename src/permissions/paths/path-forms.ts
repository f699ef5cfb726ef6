/** What a path means on this disk: as written, and where its links lead. A path is never judged by its spelling alone. */
import { lstatSync, readlinkSync, realpathSync, statSync, type Dirent } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { entriesOf } from "../../lib/path-status.ts";
import { errorCode, hasErrorCode } from "../../lib/error-text.ts";
import { memoize } from "../../lib/memoize.ts";
import { pathSegments } from "../../lib/path-pattern.ts";

export interface PathReader {
  /** Resolves `..` as the kernel does. The result is absolute and normalised. Throws an error with a `code`. */
  realpath(path: string): string;
  readlink(path: string): string;
  /** True if nothing has this name, not even a link, so that both methods above would throw. Without it, callers try them. */
  isAbsent?(path: string): boolean;
  /** The same value for every hard link of a file with several names; undefined for all other files. */
  hardLinkId?(path: string): string | undefined;
  /** The entries of a folder, or none if they cannot be read. Default: reads the disk. */
  list?(folder: string): Dirent[];
  /** A cache of where paths lead, kept while one call is judged. */
  targets?: Map<string, string | null>;
  /** A cache of folder entries, kept equally long. */
  entries?: Map<string, Dirent[]>;
}

/** Reads a folder once for one judgement, however often it is visited. */
export function entriesIn(folder: string, reader: PathReader): Dirent[] {
  const known = reader.entries?.get(folder);
  if (known !== undefined) return known;
  const found = reader.list?.(folder) ?? entriesOf(folder);
  reader.entries?.set(folder, found);
  return found;
}

/**
 * Adds caches for one judgement, so that a command with a thousand nested folders does not resolve each from the root again. Each path is
 * tested for being a folder, so most of the time goes into thrown errors, which are cached too.
 */
export function withCaches(reader: PathReader): PathReader {
  return {
    realpath: memoize((path) => reader.realpath(path)),
    readlink: (path) => reader.readlink(path),
    isAbsent: (path) => reader.isAbsent?.(path) === true,
    hardLinkId: (path) => reader.hardLinkId?.(path),
    ...(reader.list === undefined ? {} : { list: (folder: string) => reader.list?.(folder) ?? [] }),
    targets: new Map(),
    entries: new Map(),
  };
}

export const diskPaths: PathReader = {
  realpath: (path) => realpathSync.native(path),
  readlink: (path) => readlinkSync(path),
  isAbsent: (path) => {
    try {
      return lstatSync(path, { throwIfNoEntry: false }) === undefined;
    } catch {
      return false;
    }
  },
  hardLinkId: (path) => {
    try {
      const found = statSync(path, { throwIfNoEntry: false });
      return found?.isFile() === true && found.nlink > 1 ? `${found.dev}:${found.ino}` : undefined;
    } catch {
      return undefined;
    }
  },
};

export interface PathForms {
  /** Absolute paths: the written form first, then where it leads; one entry if they are the same. */
  forms: string[];
  /** False if it is unknown where the path leads: a loop of links, or a folder that may not be read. */
  isCertain: boolean;
  /** Identifies the files that have other names, too (hard links); absent until a rule needs it. */
  linked?: string[];
  /** The forms of a stand-in below this path with a name that no pattern names; absent until a rule needs it. */
  below?: PathForms;
  /** The names of the forms relative to folders, split as patterns need them. Computed for the first rule, reused for others. */
  names?: NamesBelow;
}

/** Keyed by form, then by folder. Case-folded names are kept apart from the others. */
type NamesBelow = Record<"folded" | "plain", Map<string, Map<string, readonly string[]>>>;

/** The names of one form relative to `folder`, which contains it. */
export function namesBelow(forms: PathForms, form: string, folder: string, folds: boolean): readonly string[] {
  forms.names ??= { folded: new Map(), plain: new Map() };
  const byForm = forms.names[folds ? "folded" : "plain"];
  let byFolder = byForm.get(form);
  if (byFolder === undefined) byForm.set(form, (byFolder = new Map()));
  let names = byFolder.get(folder);
  if (names === undefined) {
    const path = relative(folder, form);
    names = pathSegments(sep === "\\" ? path.replaceAll("\\", "/") : path, folds);
    byFolder.set(folder, names);
  }
  return names;
}

export function isFolder(path: string, reader: PathReader): boolean {
  return isThere(`${path}/.`, reader);
}

export function isLink(place: string, reader: PathReader): boolean {
  try {
    reader.readlink(place.replace(/\/+$/u, ""));
    return true;
  } catch {
    return false;
  }
}

/** Uses `isAbsent` first: a check costs a fifth of a thrown error. */
export function isThere(path: string, reader: PathReader): boolean {
  if (reader.isAbsent?.(path) === true) return false;
  try {
    reader.realpath(path);
    return true;
  } catch {
    return false;
  }
}

const maxLinks = 40;

/** Where `path` leads, or would lead if it existed: links of its nearest existing ancestor are followed. `isLikelyMissing`: check first. */
function realTarget(path: string, reader: PathReader, links = 0, isLikelyMissing = false): string | null {
  if (links > maxLinks) return null;
  // After a link has been followed, the result also depends on the count.
  const targets = links === 0 ? reader.targets : undefined;
  const known = targets?.get(path);
  if (known !== undefined) return known;
  const target = lookUpTarget(path, reader, links, isLikelyMissing);
  targets?.set(path, target);
  return target;
}

function lookUpTarget(path: string, reader: PathReader, links: number, isLikelyMissing: boolean): string | null {
  try {
    if (!isLikelyMissing || reader.isAbsent?.(path) !== true) return reader.realpath(path);
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT") && !hasErrorCode(error, "ENOTDIR")) return null;
  }
  const parent = dirname(path);
  if (parent === path) return path;
  const realParent = realTarget(parent, reader, links, true);
  if (realParent === null) return null;
  const name = basename(path);
  const place = name === ".." ? dirname(realParent) : name === "." ? realParent : join(realParent, name);
  if (reader.isAbsent?.(place) === true) return place;
  let link: string;
  try {
    link = reader.readlink(place);
  } catch {
    return place;
  }
  // A link to a missing target: opening it for writing would create the target.
  return realTarget(resolve(realParent, link), reader, links + 1);
}

/** Notes where a folder's entries lead (`folder` is absolute). Those that are no links lead nowhere else and need no look of their own. */
export function followEntries(folder: string, entries: readonly Dirent[], reader: PathReader): void {
  const { targets } = reader;
  const real = targets !== undefined && resolve(folder) === folder ? realTarget(folder, reader) : null;
  if (real === null) return;
  for (const entry of entries)
    if (entry.isFile() || entry.isDirectory()) targets?.set(join(folder, entry.name), join(real, entry.name));
}

/** The path as a program gets it. Not normalised, since `..` after a link refers to the link's target. */
export function placeIn(folder: string, name: string): string {
  return isAbsolute(name) ? name : `${folder}${sep}${name}`;
}

/** `isLikelyMissing`: for instance, a folder that is created with its first file. */
export function pathForms(path: string, reader: PathReader, isLikelyMissing = false): PathForms {
  const written = resolve(path);
  // On Windows, even a look at \\server\share sends the user's credentials there.
  if (written.startsWith("\\\\")) return { forms: [written], isCertain: false };
  const target = realTarget(written, reader, 0, isLikelyMissing);
  const forms = target === null || target === written ? [written] : [written, target];
  if (!/(?:^|[/\\])\.\.(?:[/\\]|$)/u.test(path)) return { forms, isCertain: target !== null };
  const dotted = realTarget(path, reader);
  if (dotted !== null && !forms.includes(dotted)) forms.push(dotted);
  return { forms, isCertain: target !== null && dotted !== null };
}

const obstacleTexts: Record<string, string> = {
  EACCES: ": this user may not look into a folder on its way",
  ELOOP: ": its links go round in a circle",
  ENAMETOOLONG: ": a name in it is too long",
};

/** Explains for people why it is uncertain where a path leads. */
export function uncertaintyText(path: string, reader: PathReader): string {
  let code = "";
  try {
    reader.realpath(path);
  } catch (error) {
    code = errorCode(error) ?? "";
  }
  return `it cannot be told where its path leads${obstacleTexts[code] ?? ""}`;
}

/** Compares by segments: `/srv/repo-evil` is not inside `/srv/repo`. Both paths are absolute and normalised. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** A folder as written, and where it leads. */
export function folderForms(folder: string, reader: PathReader, isLikelyMissing = false): string[] {
  return pathForms(folder, reader, isLikelyMissing).forms;
}

/** NUL truncates paths in C code, and other control characters affect terminals. Newline and tab occur in names and are shown escaped. */
export function hasControlCharacters(path: string): boolean {
  return /[^\P{Cc}\n\t]/u.test(path);
}
