/** Reads a repository's index: its files, and folders that are separate repositories. Format: git's `gitformat-index`. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { memoizeInTick } from "./memoize-in-tick.ts";
import { readGitConfig } from "./git-config.ts";
import { isKnownToExist } from "./path-status.ts";
import { readRegularFile } from "./regular-file.ts";

const maxBytes = 512 * 1024 * 1024;
/** The part of an entry before the object's name. */
const entryPrefixLength = 40;
const gitlinkMode = 0xe000;
const symlinkMode = 0xa000;
const folderMode = 0x4000;
const typeMask = 0xf000;
const extendedFlag = 0x4000;
const nameLengthMask = 0xfff;
const hashLengths: ReadonlyMap<string, number> = new Map([
  ["sha1", 20],
  ["sha256", 32],
]);

/** Paths relative to the working tree. Undefined if they cannot be determined. `common`: the folder with the configuration. */
export function gitlinkFolders(gitFolder: string, common: string): string[] | undefined {
  return namesOf("gitlinks", { gitFolder, common, maxBytes });
}

/** All tracked files. Also undefined if the index is longer than `maxBytes`. `common`: as above. */
export function trackedFiles(gitFolder: string, common: string, maxBytes: number): string[] | undefined {
  return namesOf("files", { gitFolder, common, maxBytes });
}

/** The symbolic links among the tracked files. */
export function trackedSymlinks(gitFolder: string, common: string, maxBytes: number): string[] | undefined {
  return namesOf("symlinks", { gitFolder, common, maxBytes });
}

interface IndexSource {
  gitFolder: string;
  common: string;
  maxBytes: number;
}

type EntryKind = "files" | "gitlinks" | "symlinks";

const isWanted: Record<EntryKind, (type: number) => boolean> = {
  files: (type) => type !== gitlinkMode,
  gitlinks: (type) => type === gitlinkMode,
  symlinks: (type) => type === symlinkMode,
};

/** A long index takes a while to read, and a command line may ask for the same one for each of its words. */
const readOnce = memoizeInTick((key) => {
  const [kind, source] = JSON.parse(key) as [EntryKind, IndexSource];
  return readIndexNames(kind, source);
});

function namesOf(kind: EntryKind, source: IndexSource): string[] | undefined {
  return readOnce(JSON.stringify([kind, source]));
}

function readIndexNames(kind: EntryKind, { gitFolder, common, maxBytes }: IndexSource): string[] | undefined {
  try {
    const shared = readdirSync(gitFolder).filter((name) => name.startsWith("sharedindex."));
    const names: string[] = [];
    for (const name of ["index", ...shared]) {
      const status = statSync(join(gitFolder, name), { throwIfNoEntry: false });
      if (status === undefined) continue;
      if (!status.isFile() || status.size > maxBytes) return undefined;
      const bytes = readFileSync(join(gitFolder, name));
      const found = matchingNames(bytes, common, kind);
      if (found === undefined) return undefined;
      for (const name of found) names.push(name);
    }
    return names;
  } catch {
    return undefined;
  }
}

/** Reads as git does: only the upper bits of the mode tell the kind, and the name's length is stored beside it. */
function matchingNames(bytes: Buffer, common: string, kind: EntryKind): string[] | undefined {
  const version = bytes.readUInt32BE(4);
  const hashLength = hashLengthOf(common);
  if (bytes.toString("latin1", 0, 4) !== "DIRC" || ![2, 3, 4].includes(version) || hashLength === undefined)
    return undefined;
  const isShortened = version === 4;
  const names: string[] = [];
  const starts: number[] = [];
  let name: Buffer = Buffer.alloc(0);
  let at = 12;
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const flagsAt = at + entryPrefixLength + hashLength;
    const flags = bytes.readUInt16BE(flagsAt);
    const rest = flagsAt + ((flags & extendedFlag) === 0 ? 2 : 4);
    const [removed, start] = isShortened ? readVariableNumber(bytes, rest) : [name.length, rest];
    const kept = name.length - removed;
    const end = bytes.indexOf(0, start);
    const length = kept + end - start;
    if (end < 0 || kept < 0 || Math.min(length, nameLengthMask) !== (flags & nameLengthMask)) return undefined;
    name =
      kept === 0 ? bytes.subarray(start, end) : Buffer.concat([name.subarray(0, kept), bytes.subarray(start, end)]);
    const type = bytes.readUInt32BE(at + 24) & typeMask;
    // A sparse index hides what such a folder contains.
    if (kind === "gitlinks" && type === folderMode) return undefined;
    if (isWanted[kind](type)) names.push(name.toString());
    starts.push(kept === 0 ? at : -1);
    at = isShortened ? end + 1 : at + ((end - at + 8) & ~7);
  }
  return isReadInOrder(bytes, starts) && !names.some((name) => name.includes("\ufffd")) ? names : undefined;
}

/** Git reads the parts of an index at once, from where a table in it says. `starts`: of the entries; -1 if the name needs the one before. */
function isReadInOrder(bytes: Buffer, starts: readonly number[]): boolean {
  for (let table = bytes.indexOf("IEOT"); table >= 0; table = bytes.indexOf("IEOT", table + 1)) {
    const end = table + 8 + bytes.readUInt32BE(table + 4);
    let entry = 0;
    for (let at = table + 12; at < end; at += 8) {
      if (bytes.readUInt32BE(at) !== starts[entry]) return false;
      entry += bytes.readUInt32BE(at + 4);
    }
    if (entry !== starts.length) return false;
  }
  return true;
}

/** Git's "offset encoding": seven bits a byte, and each further byte adds one. Returns the number and where it ends. */
function readVariableNumber(bytes: Buffer, start: number): [number, number] {
  let at = start;
  let byte = bytes.readUInt8(at++);
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = bytes.readUInt8(at++);
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return [value, at];
}

/** Of an object's name, in bytes. Undefined if it cannot be determined. */
function hashLengthOf(gitFolder: string): number | undefined {
  const path = join(gitFolder, "config");
  if (!isKnownToExist(path)) return 20;
  const read = readRegularFile(path, 64 * 1024);
  if (!read.ok) return undefined;
  const format = readGitConfig(read.text).settings.findLast(({ key }) => key === "extensions.objectformat");
  return hashLengths.get(format === undefined ? "sha1" : (format.value ?? ""));
}
