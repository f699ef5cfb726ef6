/** Lists, reads, copies, renames and removes sessions that are not running. Code is loaded with the first call. */
import { UsageError } from "../../lib/usage-error.ts";
import { checkNames, checkObject, checkOptionalTexts, checkTexts } from "../options/check-arguments.ts";
import type { SDKSessionInfo, SessionMessage } from "../../protocol/sdk-sessions.ts";
import type { ForkSessionOptions, ListSessionsOptions, SessionMessagesOptions, SessionPlace } from "./options.ts";

/** Returns the file of an existing session and the operations on it. */
async function fileWithOperations(sessionId: string, place: SessionPlace) {
  const [{ requireSessionFile }, manage] = await Promise.all([import("./place.ts"), import("./manage.ts")]);
  return { ...manage, file: requireSessionFile(sessionId, place) };
}

const placeNames = ["dir", "env", "home"] satisfies (keyof SessionPlace)[];
const listNames = [
  "limit",
  "offset",
  "includeWorktrees",
  "includeProgrammatic",
  "search",
  "tag",
] satisfies (keyof ListSessionsOptions)[];
const messageNames = [
  "limit",
  "offset",
  "includeSystemMessages",
  "includeCompacted",
] satisfies (keyof SessionMessagesOptions)[];
const forkNames = ["upToMessageId", "title"] satisfies (keyof ForkSessionOptions)[];

/** Throws `UsageError` for a value of the wrong type, and for an option that is neither a place's nor among `names`. */
function checkSessionArguments(
  texts: Record<string, unknown>,
  options: ListSessionsOptions,
  names: readonly string[] = [],
): void {
  checkObject("options", options);
  checkNames(options, [...placeNames, ...names]);
  const { dir, home, search, tag, env, limit = Infinity, offset = 0 } = options;
  checkTexts(texts);
  checkOptionalTexts({ dir, home, search, tag });
  if (env !== undefined) checkObject("env", env);
  for (const [name, count] of Object.entries({ limit, offset }))
    if (!(typeof count === "number" && count >= 0)) throw new UsageError(`${name} must be a number of at least 0.`);
}

/** Lists sessions, newest first. Throws `UsageError` for invalid values. */
export async function listSessions(options: ListSessionsOptions = {}): Promise<SDKSessionInfo[]> {
  checkSessionArguments({}, options, listNames);
  return await (await import("./list.ts")).listInfos(options);
}

/** Returns undefined if there is no session with that id, or nothing was said in it. */
export async function getSessionInfo(
  sessionId: string,
  options: SessionPlace = {},
): Promise<SDKSessionInfo | undefined> {
  checkSessionArguments({ sessionId }, options);
  return (await import("./list.ts")).readSessionInfo(sessionId, options);
}

/** Returns the messages in order. Throws `UsageError` for an unknown session. */
export async function getSessionMessages(
  sessionId: string,
  options: SessionMessagesOptions = {},
): Promise<SessionMessage[]> {
  checkSessionArguments({ sessionId }, options, messageNames);
  return (await import("./messages.ts")).readSessionMessages(sessionId, options);
}

/** Returns the ids of the agents that worked in a session, oldest first. */
export async function listSubagents(sessionId: string, options: SessionPlace = {}): Promise<string[]> {
  checkSessionArguments({ sessionId }, options);
  return (await import("./messages.ts")).agentIds(sessionId, options);
}

export async function getSubagentMessages(
  sessionId: string,
  agentId: string,
  options: SessionMessagesOptions = {},
): Promise<SessionMessage[]> {
  checkSessionArguments({ sessionId, agentId }, options, messageNames);
  return (await import("./messages.ts")).readAgentMessages(sessionId, agentId, options);
}

/** Copies a session, which may be in use, to a new id. Throws `UsageError` for an unknown session or message. */
export async function forkSession(sessionId: string, options: ForkSessionOptions = {}): Promise<{ sessionId: string }> {
  checkSessionArguments({ sessionId }, options, forkNames);
  checkOptionalTexts({ upToMessageId: options.upToMessageId, title: options.title });
  const { file, forkFile } = await fileWithOperations(sessionId, options);
  return { sessionId: forkFile(file, options).sessionId };
}

/** Throws `UsageError` for an unknown session, one that another process has open, or an empty title. */
export async function renameSession(sessionId: string, title: string, options: SessionPlace = {}): Promise<void> {
  checkSessionArguments({ sessionId, title }, options);
  const { file, renameFile } = await fileWithOperations(sessionId, options);
  renameFile(file.path, title);
}

/** Null removes the tag. Throws like `renameSession`. */
export async function tagSession(sessionId: string, tag: string | null, options: SessionPlace = {}): Promise<void> {
  checkSessionArguments({ sessionId, ...(tag === null ? {} : { tag }) }, options);
  const { file, tagFile } = await fileWithOperations(sessionId, options);
  tagFile(file.path, tag);
}

/** Marks a session as archived; it is kept and still listed. Throws like `renameSession`. */
export async function archiveSession(sessionId: string, options: SessionPlace = {}): Promise<void> {
  checkSessionArguments({ sessionId }, options);
  const { file, archiveFile } = await fileWithOperations(sessionId, options);
  archiveFile(file.path, true);
}

export async function unarchiveSession(sessionId: string, options: SessionPlace = {}): Promise<void> {
  checkSessionArguments({ sessionId }, options);
  const { file, archiveFile } = await fileWithOperations(sessionId, options);
  archiveFile(file.path, false);
}

/** Removes a session with its agents' conversations, file backups and long results. Throws `UsageError` if any process has it open. */
export async function deleteSession(sessionId: string, options: SessionPlace = {}): Promise<void> {
  checkSessionArguments({ sessionId }, options);
  const { file, deleteFile } = await fileWithOperations(sessionId, options);
  deleteFile(file.path, options);
}
