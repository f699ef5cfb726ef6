/** Reads a repository's index: its files, and folders that are separate repositories. Format: git's `gitformat-index`. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { memoizeInTick } from "./memoize-in-tick.ts";
import { readGitConfig } from "./git-config.ts";
import { readRegularFile } from "./regular-file.ts";

const maxBytes = 512 * 1024 * 1024;
/** The part of an entry before the object's name. */
const entryPrefixLength = 40;
const gitlinkMode = 0xe000;
const symlinkMode = 0xa000;

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

const isWanted: Record<EntryKind, (mode: number) => boolean> = {
  files: (mode) => mode !== gitlinkMode,
  gitlinks: (mode) => mode === gitlinkMode,
  symlinks: (mode) => mode === symlinkMode,
};

/** Hardly any index contains these four bytes at all. */
const rareBytes: Record<EntryKind, Buffer> = {
  files: Buffer.of(),
  gitlinks: Buffer.of(0, 0, 0xe0, 0),
  symlinks: Buffer.of(0, 0, 0xa0, 0),
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
      if (!bytes.includes(rareBytes[kind])) continue;
      const found = matchingNames(bytes, common, isWanted[kind]);
      if (found === undefined) return undefined;
      for (const name of found) names.push(name);
    }
    return names;
  } catch {
    return undefined;
  }
}

function matchingNames(bytes: Buffer, common: string, isMatch: (mode: number) => boolean): string[] | undefined {
  const version = bytes.readUInt32BE(4);
  // Version 4 shortens names, and other hash algorithms make entries longer; both are rare and not supported.
  if (bytes.toString("latin1", 0, 4) !== "DIRC" || ![2, 3].includes(version) || !usesSha1(common)) return undefined;
  const names: string[] = [];
  let at = 12;
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const flags = at + entryPrefixLength + 20;
    const isExtended = (bytes.readUInt16BE(flags) & 0x4000) !== 0;
    const start = flags + (isExtended ? 4 : 2);
    const end = bytes.indexOf(0, start);
    if (end < 0) return undefined;
    if (isMatch(bytes.readUInt32BE(at + 24))) names.push(bytes.toString("utf8", start, end));
    at += (end - at + 8) & ~7;
  }
  return names.some((name) => name.includes("\ufffd")) ? undefined : names;
}

function usesSha1(gitFolder: string): boolean {
  const read = readRegularFile(join(gitFolder, "config"), 64 * 1024);
  if (!read.ok) return false;
  return !readGitConfig(read.text).settings.some(({ key }) => key === "extensions.objectformat");
}
