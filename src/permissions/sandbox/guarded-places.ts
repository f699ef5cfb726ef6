/**
 * Finds what in a working directory makes other programs run something later (git hooks, settings of agents and editors, shell files). It
 * stays read-only inside the sandbox. `newcomers.ts` handles what does not exist yet.
 */
import { lstatSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { entriesOf, pathExists } from "../../lib/path-status.ts";
import { readGitConfig, type GitSetting } from "../../lib/git-config.ts";
import { readRegularFile } from "../../lib/regular-file.ts";
import { protectionOf } from "../paths/protected-paths.ts";

/** The parts of a repository that git runs or is configured by. */
const gitConfigPaths = ["config", "config.worktree", "hooks", "commondir", "gitdir", "info/attributes"];

/** `git`: a repository's own folder. */
export function addRepository(git: string, places: GuardedPlaces): void {
  places.pinned.push(git);
  const inner = ["modules", "worktrees"].flatMap((kind) =>
    entriesOf(join(git, kind)).map(({ name }) => join(git, kind, name)),
  );
  for (const place of [git, ...inner])
    places.readOnly.push(...gitConfigPaths.map((name) => join(place, name)).filter(pathExists));
  const elsewhere = [hooksFolder(git) ?? [], ...[git, ...inner].map(includedFiles)].flat().filter(pathExists);
  places.readOnly.push(...elsewhere);
  places.unmoved.push(...elsewhere);
}

/** Git's own limit for chains of includes. */
const maxIncludedFiles = 10;

/** The files that a repository's configuration includes, which have the same power. Some may not exist yet. */
export function includedFiles(git: string): string[] {
  const found = new Set<string>();
  const addIncludes = (file: string): void => {
    const includes = readGitSettings(file).filter(({ key }) => /^include(?:if\..*)?\.path$/su.test(key));
    for (const { value } of includes) {
      const path = resolve(dirname(file), value ?? "");
      const isFile = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true;
      if (!value || !isFile || found.has(path) || found.size >= maxIncludedFiles) continue;
      found.add(path);
      addIncludes(path);
    }
  };
  for (const name of ["config", "config.worktree"]) addIncludes(join(git, name));
  return [...found];
}

function readGitSettings(file: string): GitSetting[] {
  const read = readRegularFile(file, 65_536);
  return read.ok ? readGitConfig(read.text).settings : [];
}

/** Where a repository's configuration places its hooks, if elsewhere. */
export function hooksFolder(git: string): string | undefined {
  const hooksPath = readGitSettings(join(git, "config")).findLast(({ key }) => key === "core.hookspath")?.value;
  return hooksPath ? resolve(dirname(git), hooksPath) : undefined;
}

/** A cache: the same names come up repeatedly, and deciding is slow. */
const knownNames = new Map<string, boolean>();
const maxKnownNames = 10_000;

function isGuardedName(name: string): boolean {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  const isGuarded = protectionOf(`/${name}`)?.level === "never";
  if (knownNames.size >= maxKnownNames) knownNames.clear();
  knownNames.set(name, isGuarded);
  return isGuarded;
}

/** Judges by the entry's name and that of its folder. A repository's own folder is not guarded, since commits are written there. */
export function isGuardedEntry(folder: string, { name, isFolder }: { name: string; isFolder: boolean }): boolean {
  if (name === ".git" && isFolder) return false;
  return isGuardedName(name) || (folder.endsWith("/.config") && protectionOf(`/.config/${name}`)?.level === "never");
}

export interface GuardedPlaces {
  readOnly: string[];
  pinned: string[];
  /** Places known by their path: no folder that leads to one may be moved. */
  unmoved: string[];
  /** There are more places than are searched or mounted. */
  isCut: boolean;
}
