/** What a path stands for on this disk: as it was written, and where its links lead. Nothing is judged by its spelling alone. */
import { lstatSync, readlinkSync, realpathSync, statSync, type Dirent } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { entriesOf } from "../../lib/disk-look.ts";
import { codeOf, hasCode } from "../../lib/error-text.ts";
import { namesIn } from "../../lib/path-pattern.ts";

export interface PathReader {
  /** With the kernel's meaning of `..`: absolute, and normal. Throws an error with a `code`. */
  realpath(path: string): string;
  readlink(path: string): string;
  /** True where nothing has this name, not even a link: both of the above would throw. By default nobody knows before they do. */
  isAbsent?(path: string): boolean;
  /** The same for every hard link of a file that has more than one name; undefined for any other. */
  hardLinked?(path: string): string | undefined;
  /** What a folder holds; nothing where that cannot be seen. By default, as on the disk. */
  list?(folder: string): Dirent[];
  /** Where paths were found to lead, kept for as long as one call is judged. */
  targets?: Map<string, string | null>;
  /** What was found in folders, kept as long. */
  entries?: Map<string, Dirent[]>;
}

/** A folder is read once for one judgement, however often it is gone through. */
export function entriesIn(folder: string, reader: PathReader): Dirent[] {
  const known = reader.entries?.get(folder);
  if (known !== undefined) return known;
  const found = reader.list?.(folder) ?? entriesOf(folder);
  reader.entries?.set(folder, found);
  return found;
}

/** For one judgement: a command with a thousand folders, each in the one before, is not followed from the top a thousand times. */
export function remembering(reader: PathReader): PathReader {
  return {
    realpath: once((path) => reader.realpath(path)),
    readlink: (path) => reader.readlink(path),
    isAbsent: (path) => reader.isAbsent?.(path) === true,
    hardLinked: (path) => reader.hardLinked?.(path),
    ...(reader.list === undefined ? {} : { list: (folder: string) => reader.list?.(folder) ?? [] }),
    targets: new Map(),
    entries: new Map(),
  };
}

/** Lines name the same files again and again, and most of the time goes into errors: each file is asked whether it is a folder. */
function once(look: (path: string) => string): (path: string) => string {
  const known = new Map<string, { found: string } | { error: unknown }>();
  return (path) => {
    let result = known.get(path);
    if (result === undefined) {
      try {
        result = { found: look(path) };
      } catch (error) {
        result = { error };
      }
      known.set(path, result);
    }
    if ("error" in result) throw result.error;
    return result.found;
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
  hardLinked: (path) => {
    try {
      const found = statSync(path, { throwIfNoEntry: false });
      return found?.isFile() === true && found.nlink > 1 ? `${found.dev}:${found.ino}` : undefined;
    } catch {
      return undefined;
    }
  },
};

export interface PathForms {
  /** Absolute. The written form first, then where it leads; one entry where they are the same. */
  forms: string[];
  /** False where it could not be told where the path leads: a loop of links, a folder that may not be read. */
  isCertain: boolean;
  /** What the files are known by that have other names, too; absent until a rule asks. */
  linked?: string[];
  /** Some name below them that no pattern names by itself; absent until a rule asks. */
  below?: PathForms;
  /** The names of the forms below folders, as patterns take them: made for the first rule of many. */
  names?: NamesBelow;
}

/** By form, then by folder; those with their case folded apart from the others. */
type NamesBelow = Record<"folded" | "plain", Map<string, Map<string, readonly string[]>>>;

/** The names of one form below `folder`, in which it lies. */
export function namesBelow(forms: PathForms, form: string, folder: string, folds: boolean): readonly string[] {
  forms.names ??= { folded: new Map(), plain: new Map() };
  const byForm = forms.names[folds ? "folded" : "plain"];
  let byFolder = byForm.get(form);
  if (byFolder === undefined) byForm.set(form, (byFolder = new Map()));
  let names = byFolder.get(folder);
  if (names === undefined) {
    const path = relative(folder, form);
    names = namesIn(sep === "\\" ? path.replaceAll("\\", "/") : path, folds);
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

/** A look costs a fifth of an error that is thrown. */
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

/** Where `path` leads, or would lead once it exists: the links of its nearest existing ancestor are followed. `isLikelyMissing`: it is looked for first. */
function realTarget(path: string, reader: PathReader, links = 0, isLikelyMissing = false): string | null {
  if (links > maxLinks) return null;
  // Behind links the count decides too.
  const targets = links === 0 ? reader.targets : undefined;
  const known = targets?.get(path);
  if (known !== undefined) return known;
  const target = lookedUp(path, reader, links, isLikelyMissing);
  targets?.set(path, target);
  return target;
}

function lookedUp(path: string, reader: PathReader, links: number, isLikelyMissing: boolean): string | null {
  try {
    if (!isLikelyMissing || reader.isAbsent?.(path) !== true) return reader.realpath(path);
  } catch (error) {
    if (!hasCode(error, "ENOENT") && !hasCode(error, "ENOTDIR")) return null;
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
  // A link to what does not exist yet: opening it for writing would make its target.
  return realTarget(resolve(realParent, link), reader, links + 1);
}

/** What a folder holds that is no link leads nowhere else: it need not be followed one by one. `folder`: absolute. */
export function followEntries(folder: string, entries: readonly Dirent[], reader: PathReader): void {
  const { targets } = reader;
  const real = targets !== undefined && resolve(folder) === folder ? realTarget(folder, reader) : null;
  if (real === null) return;
  for (const entry of entries)
    if (entry.isFile() || entry.isDirectory()) targets?.set(join(folder, entry.name), join(real, entry.name));
}

/** As a program is given it: not normal, since `..` behind a link is where the link leads. */
export function placeIn(folder: string, name: string): string {
  return isAbsolute(name) ? name : `${folder}${sep}${name}`;
}

/** `isLikelyMissing`: of a folder, say, that is made with its first file. */
export function pathForms(path: string, reader: PathReader, isLikelyMissing = false): PathForms {
  const written = resolve(path);
  // On Windows even looking at \\server\share sends the user's credentials there.
  if (written.startsWith("\\\\")) return { forms: [written], isCertain: false };
  const target = realTarget(written, reader, 0, isLikelyMissing);
  const forms = target === null || target === written ? [written] : [written, target];
  if (!/(?:^|[/\\])\.\.(?:[/\\]|$)/u.test(path)) return { forms, isCertain: target !== null };
  const dotted = realTarget(path, reader);
  if (dotted !== null && !forms.includes(dotted)) forms.push(dotted);
  return { forms, isCertain: target !== null && dotted !== null };
}

const obstacles: Record<string, string> = {
  EACCES: ": this user may not look into a folder on its way",
  ELOOP: ": its links go round in a circle",
  ENAMETOOLONG: ": a name in it is too long",
};

/** Of a path that is not certain, for people. */
export function uncertainty(path: string, reader: PathReader): string {
  let code = "";
  try {
    reader.realpath(path);
  } catch (error) {
    code = codeOf(error) ?? "";
  }
  return `it cannot be told where its path leads${obstacles[code] ?? ""}`;
}

/** Segment by segment: `/srv/repo-evil` is not inside `/srv/repo`. Both absolute and normal. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** A folder as it was written and where it leads. */
export function folderForms(folder: string, reader: PathReader, isLikelyMissing = false): string[] {
  return pathForms(folder, reader, isLikelyMissing).forms;
}

/** NUL cuts a path short for C code; other control characters act on terminals. Names with a newline or a tab do exist and are shown spelled out. */
export function hasControls(path: string): boolean {
  return /[^\P{Cc}\n\t]/u.test(path);
}
