/**
 * What in a working folder makes other programs run something later (hooks of git, settings of agents and editors, shell files): it
 * stays read-only inside, and what a command makes anew under such a name does not keep that name.
 */
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  type Dirent,
} from "node:fs";
import { join } from "node:path";
import { protectionOf } from "../protected-paths.ts";

export interface GuardedPlaces {
  readOnly: string[];
  pinned: string[];
}

/** Folders below a working folder that are looked into, breadth first. */
const mostFolders = 200;
const deepest = 3;
/** Made empty where they are missing, so that nothing can be put there while a command runs. Git does not see empty folders. */
const keptEmpty = [".claude", ".pawl"];
/** Of a repository, what git runs or is steered by. */
const gitsOwn = ["config", "config.worktree", "hooks", "commondir", "info/attributes"];

export function guardedPlaces(folder: string): GuardedPlaces {
  const found: GuardedPlaces = { readOnly: [], pinned: [] };
  const open = [{ path: folder, depth: 0 }];
  for (let looked = 0; looked < open.length && looked < mostFolders; looked += 1) {
    const { path, depth } = open[looked] ?? { path: folder, depth: deepest };
    for (const entry of entriesOf(path)) {
      const place = join(path, entry.name);
      if (entry.name === ".git" && entry.isDirectory()) addRepository(place, found);
      else if (isGuarded(path, { name: entry.name, isFolder: entry.isDirectory() })) found.readOnly.push(place);
      else if (entry.isDirectory() && entry.name !== "node_modules" && depth < deepest)
        open.push({ path: place, depth: depth + 1 });
    }
  }
  return found;
}

function addRepository(git: string, found: GuardedPlaces): void {
  found.pinned.push(git);
  const modules = entriesOf(join(git, "modules")).map(({ name }) => join(git, "modules", name));
  for (const place of [git, ...modules])
    found.readOnly.push(...gitsOwn.map((name) => join(place, name)).filter(isThere));
}

/** Names come again and again, and telling one is slow. */
const knownNames = new Map<string, boolean>();
const mostKnown = 10_000;

function isGuardedName(name: string): boolean {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  const isGuarded = protectionOf(`/${name}`)?.level === "never";
  if (knownNames.size >= mostKnown) knownNames.clear();
  knownNames.set(name, isGuarded);
  return isGuarded;
}

/** By its own name and that of its folder. A repository's folder itself is not: commits are written there. */
function isGuarded(folder: string, { name, isFolder }: { name: string; isFolder: boolean }): boolean {
  if (name === ".git" && isFolder) return false;
  return isGuardedName(name) || (folder.endsWith("/.config") && protectionOf(`/.config/${name}`)?.level === "never");
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Makes what is kept empty, and says what it made. What cannot be made here, a command cannot make either. */
export function makeKeptEmpty(folder: string): string[] {
  const git = join(folder, ".git");
  const repository = lstatSync(git, { throwIfNoEntry: false })?.isDirectory() === true ? [join(git, "hooks")] : [];
  return [...keptEmpty.map((name) => join(folder, name)), ...repository].filter((path) => {
    try {
      mkdirSync(path);
      return true;
    } catch {
      return false;
    }
  });
}

/** Only what is still empty. */
export function removeKeptEmpty(paths: readonly string[]): void {
  for (const path of paths) {
    try {
      rmdirSync(path);
    } catch {
      // Someone has put something into it, or has removed it: either way it is theirs now.
    }
  }
}

/** The guarded names of a working folder, each with what tells whether it is still the same. */
export type GuardedNames = ReadonlyMap<string, string>;

export function guardedNames(folder: string, closed: readonly string[]): GuardedNames {
  const names = entriesOf(folder)
    .filter((entry) => isGuarded(folder, { name: entry.name, isFolder: entry.isDirectory() }))
    .map(({ name }) => join(folder, name));
  const own = [join(folder, ".git/commondir"), ...closed].filter(isThere);
  return new Map([...names, ...own].map((path) => [path, identityOf(path)]));
}

const linkMark = "link ";

function identityOf(path: string): string {
  try {
    return lstatSync(path).isSymbolicLink() ? linkMark + readlinkSync(path) : "there";
  } catch {
    return "gone";
  }
}

/**
 * Guarded names that are new since `before`, or whose link leads elsewhere. All else that was there is held by a mount of its own, so
 * that only somebody outside can have changed it.
 */
export function newcomers(folder: string, before: GuardedNames, closed: readonly string[]): string[] {
  const now = guardedNames(folder, closed);
  return [...now.keys()].filter((path) => {
    const known = before.get(path);
    return known === undefined || (known.startsWith(linkMark) && known !== now.get(path));
  });
}

/** Takes the name from it, and gives it back to the link that had it. Nothing is lost: it lies beside, as `.refused`. */
export function moveAside(path: string, before: GuardedNames): void {
  const known = before.get(path);
  for (let number = 0; number < 100; number += 1) {
    const aside = `${path}.refused${number === 0 ? "" : `-${number}`}`;
    if (isThere(aside)) continue;
    renameSync(path, aside);
    if (known?.startsWith(linkMark) === true) symlinkSync(known.slice(linkMark.length), path);
    return;
  }
}
