/** From what a user typed after `--resume` or `--continue` to one session's file. */
import { basename, dirname, join, resolve } from "node:path";
import { realPathOf } from "../lib/disk-look.ts";
import { TranscriptError } from "./error.ts";
import { systemCode } from "../lib/system-reason.ts";
import { notRegular } from "./file-io.ts";
import { nodeFileSystem, type TranscriptFileSystem } from "./file-system.ts";
import { cwdOf, isArchived, listSessions, namesIn, sessionFiles, spokenAt, summaryOf, titleOf } from "./list.ts";
import type { SessionFile, SessionSummary } from "./summary.ts";
import { isOfOne } from "./namesakes.ts";
import { isSessionId, projectFolder, projectsFolder, transcriptPath } from "./paths.ts";

export interface FoundSession {
  sessionId: string;
  path: string;
}

export interface Place {
  /** `$PAWL_HOME`. */
  home: string;
  cwd: string;
  /** Other work trees of the same repository, whose sessions count as this folder's; asked for where `cwd` has none that fits. */
  alongside?: () => readonly string[];
  fs?: TranscriptFileSystem;
  /** Called before each file that a title is looked for in: it may be thousands. */
  onLook?: () => void;
}

/**
 * By id: in this project, its other work trees, else in the only other project that holds it. By title: exactly, in this project or
 * its work trees. By the beginning of an id, from four characters on: as by id. By the path of its transcript, where sessions are kept.
 * Throws `TranscriptError`: `not_found`, `not_regular` where something else is in the place of the file, or `ambiguous` with `candidates`.
 */
export function findSession(wanted: string, place: Place): FoundSession {
  if (isSessionId(wanted)) return findById(wanted.toLowerCase(), place);
  return findByTitle(wanted.trim(), place) ?? findByPath(wanted, place) ?? findByPrefix(wanted.trim(), place);
}

/** The session of this project that was spoken in last of those that `accepts` takes by its head, and that was not archived; undefined where there is none. */
export function newestSession(
  { home, cwd, fs = nodeFileSystem }: Place,
  accepts: (session: SessionSummary) => boolean = () => true,
): FoundSession | undefined {
  const folder = projectFolder(home, cwd);
  for (let limit = 8; ; limit *= 4) {
    const sessions = listSessions(folder, { fs, limit, headOnly: true });
    let newest: (FoundSession & { at: number }) | undefined;
    for (const session of sessions) {
      // None of those that follow was spoken in later.
      if (newest !== undefined && session.modifiedAt <= newest.at) return newest;
      if (!accepts(session) || !isOfOne([cwd], session)) continue;
      const { sessionId, path } = session;
      const at = spokenAt(session, fs);
      // Last: it may take a look through the whole file.
      if ((newest === undefined || at > newest.at) && !isArchived(session, fs)) newest = { sessionId, path, at };
    }
    if (sessions.length < limit) return newest;
  }
}

/** Folders of transcripts, in the order in which they are asked: this project's, its work trees', all others. */
function* foldersOf({ home, cwd, alongside, fs = nodeFileSystem }: Place): Generator<string[]> {
  const here = projectFolder(home, cwd);
  yield [here];
  const near = new Set((alongside?.() ?? []).map((folder) => projectFolder(home, folder)));
  near.delete(here);
  yield [...near];
  const projects = projectsFolder(home);
  const others = namesIn(fs, projects).map((name) => join(projects, name));
  yield others.filter((folder) => folder !== here && !near.has(folder));
}

function findById(sessionId: string, place: Place): FoundSession {
  const { fs = nodeFileSystem } = place;
  for (const folders of foldersOf(place)) {
    const paths = folders.map((folder) => transcriptPath(folder, sessionId));
    const [path, second] = paths.filter((each) => isFileAt(each, fs));
    if (path === undefined) continue;
    if (second === undefined) return { sessionId, path };
    const where = paths.filter((each) => isFileAt(each, fs)).join(", ");
    throw new TranscriptError(
      "ambiguous",
      `Several projects hold a conversation with session ID: ${sessionId} (${where}). Run the command in the folder of the one you mean.`,
    );
  }
  const own = transcriptPath(projectFolder(place.home, place.cwd), sessionId);
  if (fs.statusOf(own) !== undefined) throw notRegular(own);
  throw notFound(sessionId);
}

const extension = ".jsonl";

/** A file that lies elsewhere may be anybody's, and going on would write into it. */
function findByPath(wanted: string, { home, cwd, fs = nodeFileSystem }: Place): FoundSession | undefined {
  const named = resolve(cwd, wanted);
  if (!named.endsWith(extension) || !isFileAt(named, fs)) return undefined;
  const sessionId = basename(named, extension);
  const projects = projectsFolder(home);
  const isKept = isSessionId(sessionId) && realPathOf(dirname(dirname(named))) === realPathOf(projects);
  const path = join(projects, basename(dirname(named)), basename(named));
  if (isKept && isFileAt(path, fs)) return { sessionId: sessionId.toLowerCase(), path };
  throw new TranscriptError(
    "not_found",
    `${named} is no transcript that can be gone on with: those lie in the folders of ${projects}.`,
  );
}

/** A file among the folders of projects holds none. */
function isFileAt(path: string, fs: TranscriptFileSystem): boolean {
  try {
    return fs.statusOf(path)?.isFile === true;
  } catch (error) {
    if (systemCode(error) === "ENOTDIR") return false;
    throw error;
  }
}

function findByTitle(title: string, place: Place): FoundSession | undefined {
  if (title === "") return undefined;
  const { fs = nodeFileSystem, onLook } = place;
  const wanted = plain(title);
  const isCalled = (file: SessionFile): boolean => {
    onLook?.();
    return plain(titleOf(file, fs) ?? "") === wanted && isOfPlace(file, place);
  };
  let at = 0;
  for (const folders of foldersOf(place)) {
    // A name is a project's own: the last group is of others.
    if (at++ === 2) return undefined;
    const found = folders.flatMap((folder) => sessionFiles(fs, folder)).filter(isCalled);
    const [session, second] = found;
    if (second !== undefined) throw ambiguous(`Several sessions have the title "${title}"`, summariesOf(found, fs));
    if (session !== undefined) return session;
  }
  return undefined;
}

/** Titles are kept with single blanks; a letter may come with its marks as one or apart. */
function plain(title: string): string {
  return title.normalize("NFC").replace(/\s+/gu, " ");
}

/** Those of another folder may lie there, too. */
function isOfPlace(file: SessionFile, { cwd, alongside, fs }: Place): boolean {
  const session = { path: file.path, cwd: cwdOf(file, fs) };
  return isOfOne([cwd], session) || isOfOne(alongside?.() ?? [], session);
}

/** Fewer characters are more likely a slip than an id. */
const leastPrefix = 4;

function findByPrefix(wanted: string, place: Place): FoundSession {
  const { fs = nodeFileSystem } = place;
  const prefix = wanted.toLowerCase();
  if (prefix.length < leastPrefix || !/^[0-9a-f-]+$/.test(prefix)) throw notFound(wanted.slice(0, 80));
  for (const folders of foldersOf(place)) {
    const files: SessionFile[] = folders.flatMap((folder) =>
      sessionFiles(fs, folder).filter(({ sessionId }) => sessionId.toLowerCase().startsWith(prefix)),
    );
    const [file, second] = files;
    if (file === undefined) continue;
    if (second === undefined) return file;
    throw ambiguous(`The ids of several sessions begin with "${prefix}"`, summariesOf(files, fs));
  }
  throw notFound(prefix);
}

function summariesOf(files: readonly SessionFile[], fs: TranscriptFileSystem): SessionSummary[] {
  return files.map((each) => summaryOf(each, fs)).filter((each) => each !== undefined);
}

function ambiguous(what: string, found: readonly SessionSummary[]): TranscriptError {
  const candidates = found.toSorted((one, other) => other.modifiedAt - one.modifiedAt);
  const ids = candidates.map(({ sessionId }) => sessionId).join(", ");
  return new TranscriptError("ambiguous", `${what}. Name one by its id: ${ids}.`, { candidates });
}

function notFound(id: string): TranscriptError {
  return new TranscriptError("not_found", `No conversation found with session ID: ${id}`);
}
