/** The repository that git would work in, and the files it tracks there. */
import { lstatSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { trackedFiles, trackedSymlinks } from "../../lib/git-index.ts";
import { commonGitFolder, gitFolderFromFile } from "../../lib/git-repository.ts";
import { memoizeInTick } from "../../lib/memoize-in-tick.ts";
import { isPlanted } from "../../lib/planted.ts";

/** Size of an index in bytes: some 200,000 files. */
const maxBytes = 24 * 1024 * 1024;

export interface Repository {
  top: string;
  /** Undefined if it cannot be determined. */
  folder: string | undefined;
}

export function repositoryAt(start: string): Repository | undefined {
  for (let top = start; ; top = dirname(top)) {
    const kind = entryKind(join(top, ".git"));
    if (kind === "folder") return { top, folder: join(top, ".git") };
    if (kind === "file") return { top, folder: gitFolderFromFile(top) };
    if (dirname(top) === top) return undefined;
  }
}

/** The tracked files, relative to the top. Undefined if they cannot be determined. */
export function trackedIn({ folder }: Repository, read = trackedFiles): string[] | undefined {
  const common = folder === undefined ? undefined : commonGitFolder(folder);
  return folder === undefined || common === undefined ? undefined : read(folder, common, maxBytes);
}

const namesOnce = memoizeInTick((top): ReadonlySet<string> => {
  const repository = repositoryAt(top);
  return new Set(repository === undefined ? [] : trackedIn(repository));
});

/** The tracked files, as a set; empty if they cannot be determined. */
export function trackedNamesIn({ top }: Repository): ReadonlySet<string> {
  return namesOnce(top);
}

/** The symbolic links among the tracked files. */
export function trackedLinksIn(repository: Repository): string[] {
  return trackedIn(repository, trackedSymlinks) ?? [];
}

/**
 * Returns a function that tells whether a file's repository tracks it; each repository's files are read once. Paths are absolute. A
 * repository that somebody else put into a shared folder above says nothing about the user's files.
 */
export function createTrackedTest(): (path: string) => boolean {
  const known = new Map<string, ReadonlySet<string>>();
  return (path) => {
    const repository = repositoryAt(dirname(path));
    if (repository === undefined) return false;
    const { top } = repository;
    if (isPlanted(join(top, ".git"), top, dirname(path))) return false;
    const files = known.get(top) ?? trackedNamesIn(repository);
    known.set(top, files);
    return files.has(relative(top, path));
  };
}

function entryKind(path: string): "file" | "folder" | undefined {
  try {
    const status = lstatSync(path, { throwIfNoEntry: false });
    return status === undefined ? undefined : status.isDirectory() ? "folder" : "file";
  } catch {
    return undefined;
  }
}
