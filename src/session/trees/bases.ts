/** Complete trees of a folder, from which sessions start: a new session then reads little more than what has changed since. */
import { randomUUID } from "node:crypto";
import { readdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { replaceFileSync } from "../../lib/atomic-write.ts";
import { tryParseJson } from "../../lib/try-parse-json.ts";
import { makeFolders } from "../../lib/make-folders.ts";
import { entryFromJson, entryToJson, isPackName, type Tree } from "./entry.ts";
import { packPath } from "./pack.ts";
import { readPlainFile } from "./read-plain.ts";

const maxBytes = 256 << 20;
const baseExtension = ".tree";

function basePath(folder: string, name: string): string {
  return join(folder, `${name}${baseExtension}`);
}

/** Empty if the base does not exist or cannot be read. */
export function loadBase(folder: string, name: string): Tree {
  const tree: Tree = new Map();
  const read = readPlainFile(basePath(folder, name), maxBytes);
  if (read === undefined) return tree;
  for (const line of parseLines(read.bytes.toString("utf8"))) {
    const read = entryFromJson(line);
    if (read !== undefined) tree.set(read[0], read[1]);
  }
  return tree;
}

/** Parses all lines at once, which is faster, and falls back to single lines if one is broken. */
function parseLines(text: string): unknown[] {
  const all = tryParseJson(`[${text.trimEnd().replaceAll("\n", ",")}]`);
  return Array.isArray(all) ? all : text.split("\n").map(tryParseJson);
}

/** Returns the name under which the base can be loaded. `flush`: also flush it to the disk. Throws the system's error. */
export function saveBase(folder: string, tree: Tree, flush: boolean): string {
  const name = randomUUID();
  makeFolders(folder, 0o700);
  const lines = Array.from(tree, ([at, entry]) => `${JSON.stringify(entryToJson(at, entry))}\n`);
  replaceFileSync(basePath(folder, name), lines.join(""), flush);
  return name;
}

export interface Base {
  name: string;
  tree: Tree;
  /** False: the contents of some of its files are gone, and those files are not in the tree. */
  isWhole: boolean;
}

/** Returns the newest base; undefined if there is none. */
export function newestBase(folder: string, now: Date): Base | undefined {
  const name = newestBaseName(folder);
  if (name === undefined) return undefined;
  const tree = loadBase(folder, name);
  const packs = new Map<string, boolean>();
  let isWhole = true;
  for (const [path, entry] of tree) {
    if (entry.kind !== "file") continue;
    const pack = entry.place?.pack;
    if (pack !== undefined && !packs.has(pack)) packs.set(pack, touchFile(packPath(folder, pack), now));
    if (pack !== undefined && packs.get(pack) === true) continue;
    tree.delete(path);
    isWhole = false;
  }
  return touchFile(basePath(folder, name), now) ? { name, tree, isWhole } : undefined;
}

/** Updates the time of a file, since a sweep spares what was used recently. */
function touchFile(path: string, now: Date): boolean {
  try {
    utimesSync(path, now, now);
    return true;
  } catch {
    return false;
  }
}

function newestBaseName(folder: string): string | undefined {
  let newest: { name: string; at: number } | undefined;
  for (const file of fileNamesIn(folder)) {
    const name = file.slice(0, -baseExtension.length);
    if (!file.endsWith(baseExtension) || !isPackName(name)) continue;
    const at = statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (newest === undefined || at > newest.at) newest = { name, at };
  }
  return newest?.name;
}

function fileNamesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

export function packsOf(tree: Tree): string[] {
  const packs = new Set<string>();
  for (const entry of tree.values())
    if (entry.kind === "file" && entry.place !== undefined) packs.add(entry.place.pack);
  return [...packs];
}
