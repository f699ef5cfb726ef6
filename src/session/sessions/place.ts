/** Finds the folders and files of the sessions that a caller means. */
import { join, resolve } from "node:path";
import { otherWorktrees } from "../../knowledge/git-worktrees.ts";
import { homeFolder } from "../../lib/home-folder.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { pawlHome } from "../../settings/paths.ts";
import {
  findSession,
  isSessionId,
  nodeFileSystem,
  projectFolder,
  projectsFolder,
  sessionFilesIn,
  type FoundSession,
  type SessionFile,
} from "../../transcript/index.ts";
import { systemClock } from "../../lib/system-clock.ts";
import { openingError } from "../store/transcript-errors.ts";
import type { SessionPlace } from "./options.ts";

/** `$PAWL_HOME` */
export function homeOf({ env = process.env, home }: SessionPlace): string {
  return pawlHome(env, home ?? homeFolder(env));
}

/** Returns the folders that `place.dir` means, with its other work trees; undefined: all folders. */
export function dirsOf({ dir }: SessionPlace, includeWorktrees = true): string[] | undefined {
  if (dir === undefined) return undefined;
  const own = resolve(dir);
  return [own, ...(includeWorktrees ? otherWorktrees(own) : [])];
}

/** Returns the transcript folders that `place` means. */
export function foldersOf(place: SessionPlace, dirs = dirsOf(place)): string[] {
  const home = homeOf(place);
  if (dirs !== undefined) return [...new Set(dirs.map((dir) => projectFolder(home, dir)))];
  const projects = projectsFolder(home);
  return namesOf(projects).map((name) => join(projects, name));
}

function namesOf(folder: string): string[] {
  return withUsageErrors(() => (nodeFileSystem.statusOf(folder)?.isFolder === true ? nodeFileSystem.list(folder) : []));
}

/** Returns the transcript with that id; undefined if none, or if the id is invalid. Throws `UsageError` if several projects have it. */
export function findSessionFile(sessionId: string, place: SessionPlace): SessionFile | undefined {
  if (!isSessionId(sessionId)) return undefined;
  const wanted = sessionId.toLowerCase();
  const found = foldersOf(place).flatMap((folder) =>
    sessionFilesIn(folder).filter((file) => file.sessionId.toLowerCase() === wanted),
  );
  if (found.length > 1)
    throw new UsageError(
      `Several folders have a session ${wanted}: ${found.map(({ path }) => path).join(", ")}. Name one by dir.`,
      { code: "session_ambiguous" },
    );
  return found[0];
}

/** The same for a session that must exist. */
export function requireSessionFile(sessionId: string, place: SessionPlace): SessionFile {
  const file = findSessionFile(sessionId, place);
  if (file !== undefined) return file;
  const code = "session_not_found";
  throw new UsageError(`No conversation found with session ID: ${sessionId.slice(0, 80)}`, { code });
}

/** Finds a session by its id, a prefix of the id, or its title, as `--resume` would from the folder `cwd`. */
export function resolveSession(sessionName: string, place: SessionPlace, cwd: string): FoundSession {
  return withUsageErrors(() =>
    findSession(sessionName, { home: homeOf(place), cwd, alongside: () => otherWorktrees(cwd) }),
  );
}

/** Runs `work`, converting any error about a transcript or its folder to `UsageError`. */
export function withUsageErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw openingError(error, systemClock.now());
  }
}
