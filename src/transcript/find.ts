/** From what a user typed after `--resume` or `--continue` to one session's file. */
import { join } from "node:path";
import { TranscriptError } from "./error.ts";
import { nodeFileSystem, type TranscriptFileSystem } from "./file-system.ts";
import { listSessions, namesIn, sessionFiles, type SessionSummary } from "./list.ts";
import { isSessionId, projectFolder, projectsFolder, transcriptPath } from "./paths.ts";

export interface FoundSession {
  sessionId: string;
  path: string;
}

export interface Place {
  /** `$PAWL_HOME`. */
  home: string;
  cwd: string;
  fs?: TranscriptFileSystem;
}

/**
 * By id: in this project, else in the only other project that holds it. By title: exactly, in this project.
 * Throws `TranscriptError`: `not_found`, `ambiguous`.
 */
export function findSession(idOrTitle: string, place: Place): FoundSession {
  return isSessionId(idOrTitle) ? findById(idOrTitle.toLowerCase(), place) : findByTitle(idOrTitle, place);
}

/** The newest session of this project that `accepts` takes; undefined where there is none. */
export function newestSession(
  { home, cwd, fs = nodeFileSystem }: Place,
  accepts: (session: SessionSummary) => boolean = () => true,
): FoundSession | undefined {
  const folder = projectFolder(home, cwd);
  for (let limit = 8; ; limit *= 4) {
    const sessions = listSessions(folder, { fs, limit });
    const found = sessions.find(accepts);
    if (found !== undefined) return { sessionId: found.sessionId, path: found.path };
    if (sessions.length < limit) return undefined;
  }
}

function findById(sessionId: string, { home, cwd, fs = nodeFileSystem }: Place): FoundSession {
  const isThere = (path: string) => fs.statusOf(path)?.isFile === true;
  const here = transcriptPath(projectFolder(home, cwd), sessionId);
  if (isThere(here)) return { sessionId, path: here };
  const projects = projectsFolder(home);
  const elsewhere = namesIn(fs, projects)
    .map((name) => transcriptPath(join(projects, name), sessionId))
    .filter(isThere);
  const [path, second] = elsewhere;
  if (path === undefined) throw notFound(sessionId);
  if (second !== undefined) {
    throw new TranscriptError(
      "ambiguous",
      `Several projects hold a conversation with session ID: ${sessionId} (${elsewhere.join(", ")}). Run the command in the folder of the one you mean.`,
    );
  }
  return { sessionId, path };
}

function findByTitle(title: string, { home, cwd, fs = nodeFileSystem }: Place): FoundSession {
  const wanted = title.trim();
  const folder = projectFolder(home, cwd);
  const found =
    wanted === "" || sessionFiles(fs, folder).length === 0
      ? []
      : listSessions(folder, { fs }).filter((session) => session.title === wanted);
  const [session, second] = found;
  if (session === undefined) throw notFound(title.slice(0, 80));
  if (second !== undefined) {
    const ids = found.map(({ sessionId }) => sessionId).join(", ");
    throw new TranscriptError("ambiguous", `Several sessions have the title "${wanted}". Name one by its id: ${ids}.`);
  }
  return { sessionId: session.sessionId, path: session.path };
}

function notFound(id: string): TranscriptError {
  return new TranscriptError("not_found", `No conversation found with session ID: ${id}`);
}
