/** Finds one session's file from what a user typed after `--resume` or `--continue`. */
import { basename, dirname, join, resolve } from "node:path";
import { realPathOf } from "../lib/path-status.ts";
import { TranscriptError } from "./error.ts";
import { systemCode } from "../lib/system-reason.ts";
import { notRegularError } from "./file-io.ts";
import { nodeFileSystem, type TranscriptFileSystem } from "./file-system.ts";
import {
  readCwd,
  isArchived,
  listNames,
  sessionFiles,
  readLastMessageTime,
  readSummary,
  readTitle,
} from "./list-sessions.ts";
import type { SessionFile, SessionSummary } from "./summary.ts";
import { belongsToAnyDir } from "./shared-slug.ts";
import { isSessionId, projectFolder, projectsFolder, transcriptPath } from "./paths.ts";

export interface FoundSession {
  sessionId: string;
  path: string;
}

export interface SearchPlace {
  /** `$PAWL_HOME`. */
  home: string;
  cwd: string;
  /** Returns other work trees of the repository, whose sessions count as this folder's; called only if `cwd` has none that fits. */
  alongside?: () => readonly string[];
  fs?: TranscriptFileSystem;
  /** Called before each file that is searched for its title: there may be thousands. */
  onLook?: () => void;
}

/**
 * Finds a session by id: in this project, then its other work trees, then the only other project that has it. By exact title: in this
 * project or its work trees. By the beginning of an id (at least four characters): as by id. By the path of a transcript in the sessions'
 * folders. Throws `TranscriptError`: `not_found`, `not_regular` if something else is in the file's place, or `ambiguous` with `candidates`.
 */
export function findSession(sessionName: string, place: SearchPlace): FoundSession {
  if (isSessionId(sessionName)) return findById(sessionName.toLowerCase(), place);
  return (
    findByTitle(sessionName.trim(), place) ?? findByPath(sessionName, place) ?? findByPrefix(sessionName.trim(), place)
  );
}

/** The session of this project with the latest message, of those that `accepts` takes by their head and nobody archived; or undefined. */
export function newestSession(
  { home, cwd, fs = nodeFileSystem }: SearchPlace,
  accepts: (session: SessionSummary) => boolean = () => true,
): FoundSession | undefined {
  // A restored or synchronised file may be older than its last message, so the time of a file says nothing about the order.
  const candidates = sessionFiles(fs, projectFolder(home, cwd))
    .map((file) => ({ file, at: readLastMessageTime(file, fs) }))
    .sort((one, other) => other.at - one.at);
  for (const { file } of candidates) {
    const session = readSummary(file, fs, true);
    if (session === undefined || !accepts(session) || !belongsToAnyDir([cwd], session)) continue;
    // Checked last, since it may read through the whole file.
    if (!isArchived(session, fs)) return { sessionId: session.sessionId, path: session.path };
  }
  return undefined;
}

/** Yields the folders to search, in order: this project's, its work trees', then all others. */
function* searchFolders({ home, cwd, alongside, fs = nodeFileSystem }: SearchPlace): Generator<string[]> {
  const here = projectFolder(home, cwd);
  yield [here];
  const near = new Set((alongside?.() ?? []).map((folder) => projectFolder(home, folder)));
  near.delete(here);
  yield [...near];
  const projects = projectsFolder(home);
  const others = listNames(fs, projects).map((name) => join(projects, name));
  yield others.filter((folder) => folder !== here && !near.has(folder));
}

function findById(sessionId: string, place: SearchPlace): FoundSession {
  const { fs = nodeFileSystem } = place;
  for (const folders of searchFolders(place)) {
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
  if (fs.statusOf(own) !== undefined) throw notRegularError(own);
  throw notFoundError(sessionId);
}

const extension = ".jsonl";

/** Resuming writes to the transcript, so a file outside the projects folder is refused: it may belong to anybody. */
function findByPath(sessionPath: string, { home, cwd, fs = nodeFileSystem }: SearchPlace): FoundSession | undefined {
  const givenPath = resolve(cwd, sessionPath);
  if (!givenPath.endsWith(extension) || !isFileAt(givenPath, fs)) return undefined;
  const sessionId = basename(givenPath, extension);
  const projects = projectsFolder(home);
  const isKept = isSessionId(sessionId) && realPathOf(dirname(dirname(givenPath))) === realPathOf(projects);
  const path = join(projects, basename(dirname(givenPath)), basename(givenPath));
  if (isKept && isFileAt(path, fs)) return { sessionId: sessionId.toLowerCase(), path };
  throw new TranscriptError(
    "not_found",
    `${givenPath} cannot be resumed: only transcripts in the project folders of ${projects} can.`,
  );
}

/** False if there is no file. A plain file in place of a project folder has no transcripts. */
function isFileAt(path: string, fs: TranscriptFileSystem): boolean {
  try {
    return fs.statusOf(path)?.isFile === true;
  } catch (error) {
    if (systemCode(error) === "ENOTDIR") return false;
    throw error;
  }
}

function findByTitle(title: string, place: SearchPlace): FoundSession | undefined {
  if (title === "") return undefined;
  const { fs = nodeFileSystem, onLook } = place;
  const wanted = normalizeTitle(title);
  const hasTitle = (file: SessionFile): boolean => {
    onLook?.();
    return normalizeTitle(readTitle(file, fs) ?? "") === wanted && belongsToPlace(file, place);
  };
  let at = 0;
  for (const folders of searchFolders(place)) {
    // A title belongs to one project: the last group, other projects, is not searched.
    if (at++ === 2) return undefined;
    const found = folders.flatMap((folder) => sessionFiles(fs, folder)).filter(hasTitle);
    const [session, second] = found;
    if (second !== undefined)
      throw ambiguousError(`Several sessions have the title "${title}"`, readSummaries(found, fs));
    if (session !== undefined) return session;
  }
  return undefined;
}

/** Titles are stored with single spaces; an accented letter may be one character or two. */
function normalizeTitle(title: string): string {
  return title.normalize("NFC").replace(/\s+/gu, " ");
}

/** The folder may also hold sessions of another folder with the same slug. */
function belongsToPlace(file: SessionFile, { cwd, alongside, fs }: SearchPlace): boolean {
  const session = { path: file.path, cwd: readCwd(file, fs) };
  return belongsToAnyDir([cwd], session) || belongsToAnyDir(alongside?.() ?? [], session);
}

/** A shorter text is more likely a typing error than an id. */
const minPrefixLength = 4;

function findByPrefix(idPrefix: string, place: SearchPlace): FoundSession {
  const { fs = nodeFileSystem } = place;
  const prefix = idPrefix.toLowerCase();
  if (prefix.length < minPrefixLength || !/^[0-9a-f-]+$/.test(prefix)) throw notFoundError(idPrefix.slice(0, 80));
  for (const folders of searchFolders(place)) {
    const files: SessionFile[] = folders.flatMap((folder) =>
      sessionFiles(fs, folder).filter(({ sessionId }) => sessionId.toLowerCase().startsWith(prefix)),
    );
    const [file, second] = files;
    if (file === undefined) continue;
    if (second === undefined) return file;
    throw ambiguousError(`The ids of several sessions begin with "${prefix}"`, readSummaries(files, fs));
  }
  throw notFoundError(prefix);
}

function readSummaries(files: readonly SessionFile[], fs: TranscriptFileSystem): SessionSummary[] {
  return files.map((each) => readSummary(each, fs)).filter((each) => each !== undefined);
}

function ambiguousError(what: string, sessions: readonly SessionSummary[]): TranscriptError {
  const candidates = sessions.toSorted((one, other) => other.modifiedAt - one.modifiedAt);
  const ids = candidates.map(({ sessionId }) => sessionId).join(", ");
  return new TranscriptError("ambiguous", `${what}. Name one by its id: ${ids}.`, { candidates });
}

function notFoundError(id: string): TranscriptError {
  return new TranscriptError("not_found", `No conversation found with session ID: ${id}`);
}
