/** The operations of `pawl sessions`: on sessions named in any way, seen from one folder. */
import { dirname } from "node:path";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import { UsageError } from "../../lib/usage-error.ts";
import type { SDKSessionInfo } from "../../protocol/sdk-sessions.ts";
import type { ModelUsage } from "../../protocol/usage.ts";
import { readCatalog, rebuildCatalog, type CatalogEntry } from "../../transcript/catalog/catalog.ts";
import { catalogPath } from "../../transcript/catalog/database.ts";
import { isLocked, nodeFileSystem, readSession, sessionFileOf, type SessionFile } from "../../transcript/index.ts";
import { readLedgerSnapshot } from "../ledger/read-ledger-snapshot.ts";
import { exportSession, type ExportFormat } from "./export.ts";
import { foldersOf, homeOf, resolveSession, withUsageErrors } from "./place.ts";
import { infoOf, findMatchingSessions } from "./list.ts";
import { deleteFile, forkFile, archiveFile, releaseContents, removeFile, renameFile, tagFile } from "./manage.ts";
import { agentFiles } from "./messages.ts";

export interface ListedSession extends SDKSessionInfo {
  path: string;
  /** The text in which a search found the session. */
  match?: string;
}

export interface SessionReport {
  info: SDKSessionInfo;
  path: string;
  prompts: number;
  lastPrompt?: string;
  forkedFrom?: string;
  costUsd?: number;
  modelUsage?: Record<string, ModelUsage>;
  agents: string[];
  openIn: boolean;
}

export interface PruneRequest {
  /** In ms without a change. */
  olderThan: number;
  everywhere: boolean;
  dryRun: boolean;
}

export interface Pruned {
  removed: ListedSession[];
  /** Sessions that are old enough but are in use or cannot be removed. */
  kept: { session: ListedSession; why: string }[];
}

export interface DeskWorld {
  cwd: string;
  env: Record<string, string | undefined>;
  /** ms since the epoch. */
  now: () => number;
  /** Called for sessions that a list leaves out because they cannot be read. */
  onNotice?: (text: string) => void;
}

export class StoredSessionsDesk {
  readonly #cwd: string;
  readonly #env: Record<string, string | undefined>;
  readonly #now: () => number;

  readonly #onNotice: ((text: string) => void) | undefined;

  constructor(options: DeskWorld) {
    this.#cwd = options.cwd;
    this.#env = options.env;
    this.#now = options.now;
    this.#onNotice = options.onNotice;
  }

  /** Lists sessions, newest first. `everywhere`: of all folders. */
  async list(options: { everywhere: boolean; search?: string; tag?: string }): Promise<ListedSession[]> {
    const { everywhere, ...filters } = options;
    return (await findMatchingSessions({ ...this.#place(everywhere), ...filters }, this.#onNotice)).map(
      toListedSession,
    );
  }

  async report(sessionName: string): Promise<SessionReport> {
    const file = this.#file(sessionName);
    const [entry] = await this.#entriesOf(file);
    const { lastPrompt, forkedFrom, prompts } = entry ?? { prompts: 0 };
    const cost = withUsageErrors(() => readLedgerSnapshot(readSession(file.path).ledger));
    return {
      info: infoOf(entry ?? file),
      path: file.path,
      prompts,
      ...withoutUndefined({ lastPrompt, forkedFrom }),
      ...(cost === undefined ? {} : { costUsd: cost.totalUsd, modelUsage: cost.byModel }),
      agents: agentFiles(file.path).map(({ agentId }) => agentId),
      openIn: isLocked(file.path, { now: this.#now }),
    };
  }

  rename(sessionName: string, title: string): void {
    renameFile(this.#file(sessionName).path, title);
  }

  tag(sessionName: string, tag: string | null): void {
    tagFile(this.#file(sessionName).path, tag);
  }

  archive(sessionName: string, archived: boolean): void {
    archiveFile(this.#file(sessionName).path, archived);
  }

  /** Returns the id of the copy, and a notice for people about what it lacks. */
  fork(
    sessionName: string,
    options: { at?: string; title?: string },
  ): { sessionId: string; notice: string | undefined } {
    const { at, title } = options;
    const forkOptions = {
      ...(at === undefined ? {} : { upToMessageId: at }),
      ...(title === undefined ? {} : { title }),
    };
    return forkFile(this.#file(sessionName), forkOptions);
  }

  *export(sessionName: string, format: ExportFormat): Generator<string> {
    const pieces = exportSession(this.#file(sessionName), format);
    for (
      let piece = withUsageErrors(() => pieces.next());
      piece.done !== true;
      piece = withUsageErrors(() => pieces.next())
    )
      yield piece.value;
  }

  /** Returns the id. Throws `UsageError` if the session is open anywhere. */
  delete(sessionName: string): string {
    const { path, sessionId } = this.#file(sessionName);
    deleteFile(path, this.#place(true));
    return sessionId;
  }

  async prune({ olderThan, everywhere, dryRun }: PruneRequest): Promise<Pruned> {
    const before = this.#now() - olderThan;
    const pruned: Pruned = { removed: [], kept: [] };
    const isOld = (path: string): boolean => (nodeFileSystem.statusOf(path)?.modifiedAt ?? Infinity) < before;
    for (const session of await this.list({ everywhere })) {
      // The time of the file, not of the last message: a rename or a copy is a change too.
      if (!isOld(session.path)) continue;
      const why = this.#remove(session.path, dryRun, () => isOld(session.path));
      if (why === undefined) pruned.removed.push(session);
      else pruned.kept.push({ session, why });
    }
    if (!dryRun) releaseContents(pruned.removed.map(({ path }) => path));
    return pruned;
  }

  /** Returns why the session stays, or undefined if it is removed. */
  #remove(path: string, dryRun: boolean, isOld: () => boolean): string | undefined {
    if (dryRun) return isLocked(path, { now: this.#now }) ? "It is open." : undefined;
    try {
      return removeFile(path, homeOf(this.#place(true)), isOld) ? undefined : "It was used a moment ago.";
    } catch (error) {
      if (error instanceof UsageError) return error.message;
      throw error;
    }
  }

  /** Returns the number of sessions in the index. Throws `UsageError` if it cannot be written. */
  async reindex(): Promise<number> {
    const place = this.#place(true);
    const home = homeOf(place);
    const sessions = await rebuildCatalog({ home, folders: foldersOf(place) });
    if (sessions !== undefined) return sessions;
    const why = "Lists and searches work without it, but take longer";
    throw new UsageError(
      `The index ${catalogPath(home)} cannot be written. ${why}: make sure that its folder can be written and has room, and try again.`,
    );
  }

  #place(everywhere: boolean) {
    return { env: this.#env, ...(everywhere ? {} : { dir: this.#cwd }) };
  }

  #file(sessionName: string): SessionFile {
    return sessionFileOf(resolveSession(sessionName, this.#place(true), this.#cwd));
  }

  async #entriesOf({ path }: SessionFile): Promise<CatalogEntry[]> {
    const place = this.#place(true);
    const folders = [dirname(path)];
    return (await readCatalog({ home: homeOf(place), folders })).filter((entry) => entry.path === path);
  }
}

function toListedSession(entry: CatalogEntry): ListedSession {
  return { ...infoOf(entry), path: entry.path, ...(entry.match === undefined ? {} : { match: entry.match }) };
}
