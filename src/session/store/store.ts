/** Opens the store of a session's conversation: a new file, a resumed one, a fork, or none at all. */
import { UsageError } from "../../lib/usage-error.ts";
import { assertOnlyTurnDropped } from "./dropped-turn.ts";
import { transcriptOptions, acquireSessionLock, openResumedStore } from "./resumed-store.ts";
import {
  findSession,
  isSessionId,
  newestSession,
  openTranscript,
  projectFolder,
  readSession,
  sessionFilesIn,
  readSummary,
  toolResultsFolder,
  transcriptPath,
  type FoundSession,
} from "../../transcript/index.ts";
import { openingError } from "./transcript-errors.ts";
import type { EngineOptions } from "../options/options.ts";
import { isPersonSession, type CopySession, type Store, type StoreOptions } from "./store-shape.ts";

/** The command line says whether a person is there; a program that uses the library does not. */
export function sourceOf({ headless }: Pick<EngineOptions, "headless">): StoreOptions["source"] {
  return headless === undefined ? "sdk" : headless ? "print" : "cli";
}

/** Throws `UsageError` for an unknown session, an id that is taken, or a session that another process has open. */
export function openStore(options: StoreOptions): Store {
  if (options.sessionId !== undefined && !isSessionId(options.sessionId)) {
    throw new UsageError(`sessionId must be a UUID, which "${options.sessionId.slice(0, 80)}" is not.`);
  }
  try {
    const found = findEarlierSession(options);
    if (found === undefined) return newStore(options);
    if (options.dropsTurn !== undefined) checkDroppedTurn(options, found, options.dropsTurn);
    if (!options.fork) return openResumedStore(options, found);
    if (!options.persist) return unwrittenFork(options, found);
    // The copy already ends where the session is to continue.
    const { copy, notice } = requireCopier(options)(options, found, newSessionId(options));
    const store = openResumedStore({ ...options, resumeAt: undefined }, copy);
    const notices = notice === undefined ? store.notices : [notice, ...store.notices];
    // The original may be in another folder, where no later resume would look for it.
    const spilledBefore = [...store.spilledBefore, toolResultsFolder(found.path)];
    return { ...store, notices, spilledBefore, forkedFrom: found.path };
  } catch (error) {
    throw openingError(error, options.clock.now());
  }
}

function requireCopier({ copySession }: StoreOptions): CopySession {
  if (copySession === undefined) throw new Error("This session cannot be copied: what copies sessions was not loaded.");
  return copySession;
}

function checkDroppedTurn({ resumeAt, files, snips }: StoreOptions, { path }: FoundSession, prompt: string): void {
  const conversation = readSession(path, files, snips.replay).messages;
  assertOnlyTurnDropped({
    conversation,
    keptMessages: readSession(path, files, snips.replay, resumeAt).messages,
    prompt,
  });
}

function findEarlierSession(options: StoreOptions): FoundSession | undefined {
  const { pawlHome: home, cwd, files: fs, worktrees: alongside } = options;
  const place = { home, cwd, fs, alongside, onLook: createSlowNotice(options) };
  if (options.resume !== undefined) return findSession(options.resume, place);
  if (!options.continue) return undefined;
  // A person's conversation continues a conversation: sessions that programs ran in the folder since are skipped.
  const newest = newestSession(place, options.source === "cli" ? isPersonSession : undefined);
  if (newest !== undefined) return newest;
  const there = sessionFilesIn(projectFolder(options.pawlHome, options.cwd));
  const closed = there.find((file) => readSummary(file, options.files, true) === undefined);
  // The only sessions are another user's: reading one throws the error that says so.
  if (closed !== undefined) readSession(closed.path, options.files);
  const hint =
    options.source === "cli" && newestSession(place) !== undefined
      ? "The existing ones were made by pawl -p or a program: pawl sessions lists them, and --resume continues one by its id."
      : "Start one without --continue; pawl sessions --all lists those of other folders and archived ones, which --resume takes by id.";
  throw new UsageError(`There is no session of this folder to continue. ${hint}`, { code: "session_not_found" });
}

/** How long people wait in silence before they think that nothing is happening. */
const slowNoticeMs = 2_000;

function createSlowNotice({ clock, notice }: StoreOptions): () => void {
  const from = clock.elapsed();
  let isReported = false;
  return () => {
    if (isReported || clock.elapsed() - from < slowNoticeMs) return;
    isReported = true;
    notice(
      "looking for that title in the sessions of this folder, which takes a while; by its id, a session is found at once",
    );
  };
}

function newSessionId(options: StoreOptions): string {
  return (options.sessionId ?? options.ids.uuid()).toLowerCase();
}

/** Continues from the original without writing a copy. */
function unwrittenFork(options: StoreOptions, session: FoundSession): Store {
  return { ...openResumedStore(options, session), sessionId: newSessionId(options) };
}

function newStore(options: StoreOptions): Store {
  const sessionId = newSessionId(options);
  const empty = { sessionId, spilledBefore: [], messages: [], restored: {}, notices: [] };
  if (!options.persist) return { ...empty, transcript: null, spillDirectory: null };
  const path = transcriptPath(projectFolder(options.pawlHome, options.cwd), sessionId);
  const lock = options.sessionId === undefined ? undefined : acquireSessionLock(options, path);
  const facts = { source: options.source, recordsToolStarts: true as const };
  const transcript = openTranscript({ ...transcriptOptions(options), path, sessionId, facts, lock });
  return { ...empty, transcript, spillDirectory: toolResultsFolder(path) };
}
