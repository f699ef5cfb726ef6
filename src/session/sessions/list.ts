/** Session listings. */
import { withoutUndefined } from "../../lib/without-undefined.ts";
import type { SDKSessionInfo } from "../../protocol/sdk-sessions.ts";
import { lastUseOf, readCatalog, type CatalogEntry } from "../../transcript/catalog/catalog.ts";
import { belongsToAnyDir, readLastMessageTime, readSummary, type SessionSummary } from "../../transcript/index.ts";
import { isPersonSession } from "../store/store-shape.ts";
import type { ListSessionsOptions, SessionPlace } from "./options.ts";
import { dirsOf, findSessionFile, foldersOf, homeOf } from "./place.ts";

export async function listInfos(options: ListSessionsOptions): Promise<SDKSessionInfo[]> {
  const { limit = Infinity, offset = 0 } = options;
  const infos = (await findMatchingSessions(options)).map(infoOf).filter((info) => info.summary !== "");
  return infos.slice(offset, offset + limit);
}

/** Returns the matching sessions, newest first, including empty ones. `passedOver`: see `CatalogOptions`. */
export async function findMatchingSessions(
  options: ListSessionsOptions,
  passedOver?: (text: string) => void,
): Promise<CatalogEntry[]> {
  const { search, tag, includeWorktrees = true, includeProgrammatic = true } = options;
  const dirs = dirsOf(options, includeWorktrees);
  const entries = await readCatalog({
    home: homeOf(options),
    folders: foldersOf(options, dirs),
    ...withoutUndefined({ search, passedOver }),
  });
  return entries.filter(
    (entry) =>
      (tag === undefined || entry.tag === tag) &&
      (includeProgrammatic || isPersonSession(entry)) &&
      (dirs === undefined || belongsToAnyDir(dirs, entry)),
  );
}

export function readSessionInfo(sessionId: string, place: SessionPlace): SDKSessionInfo | undefined {
  const file = findSessionFile(sessionId, place);
  const summary = file === undefined ? undefined : readSummary(file);
  const found = summary === undefined ? undefined : infoOf({ ...summary, lastMessageAt: readLastMessageTime(summary) });
  return found?.summary === "" ? undefined : found;
}

export function infoOf(session: (SessionSummary & Pick<CatalogEntry, "lastMessageAt">) | CatalogEntry): SDKSessionInfo {
  const { title, tag, firstPrompt, gitBranch, cwd, createdAt, archived } = session;
  const created = createdAt === undefined ? Number.NaN : Date.parse(createdAt);
  return {
    sessionId: session.sessionId,
    summary: title ?? firstPrompt ?? "",
    lastModified: Math.floor(lastUseOf(session)),
    fileSize: session.sizeBytes,
    ...withoutUndefined({ customTitle: title, firstPrompt, gitBranch, cwd }),
    ...(tag === undefined || tag === null ? {} : { tag }),
    ...(Number.isNaN(created) ? {} : { createdAt: created }),
    ...(archived === true ? { archived } : {}),
  };
}
