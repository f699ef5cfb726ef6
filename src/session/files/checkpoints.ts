/**
 * File checkpoints: before a tool first changes a file in a user turn, the file's content is kept and noted in the
 * transcript; before the first call that may change any file, so is everything in the working folders. `rewind` puts it back,
 * in this process or in one that resumes the session.
 */
import { loadAhead, loadOnce } from "../../lib/load-once.ts";
import type { Transcript } from "../../transcript/index.ts";
import type { TurnSnapshots } from "../trees/turn-snapshots.ts";
import type { RewindFilesOptions, RewindFilesResult } from "./rewind-types.ts";

/** `edits`: changes by Write, Edit and NotebookEdit. `all`: changes by commands and third-party tools as well. */
export type CheckpointScope = "off" | "edits" | "all";

export interface CheckpointOptions {
  /** Null if the session is not persisted: nothing is kept then. */
  transcript: Transcript | null;
  scope?: CheckpointScope;
  /** Called with the first snapshot or rewind. */
  snapshots?: () => Promise<TurnSnapshots>;
  /** Flush contents to the disk before the change. */
  flush: boolean;
  /** Larger files are noted but not kept. */
  mostBytes?: number;
  /** The `hashBytes` of what a tool last saw or wrote at a path. */
  lastSeen?: (path: string) => string | undefined;
  /** Called for each file that was put back. */
  onRestored: (path: string) => void;
}

const defaultMostBytes = 64 << 20;
const loadKeep = loadOnce(() => import("./keep-file.ts"));

export class Checkpoints {
  readonly #options: CheckpointOptions;
  readonly #mostBytes: number;
  #messageUuid = "";
  #savedVersions = new Map<string, Promise<void>>();
  #rewinding: Promise<unknown> | null = null;
  /** The snapshot of everything for this prompt. */
  #takingSnapshot: Promise<void> | null = null;
  #endingTurn: Promise<void> | null = null;
  /** Set once they are loaded. */
  #snapshots: TurnSnapshots | undefined;
  readonly #loadSnapshots = loadOnce(async () => (this.#snapshots = await this.#options.snapshots?.()));

  constructor(options: CheckpointOptions) {
    this.#options = options;
    this.#mostBytes = options.mostBytes ?? defaultMostBytes;
  }

  /** A prompt was recorded: changes from now on are attributed to it. */
  beginTurn(messageUuid: string): void {
    this.#messageUuid = messageUuid;
    this.#savedVersions.clear();
    this.#takingSnapshot = null;
  }

  /** Resolves once anything may be changed; undefined: at once. Failures to keep something are reported to the user and block nothing. */
  beforeAnything(): Promise<void> | undefined {
    const { transcript, scope, snapshots } = this.#options;
    if (transcript === null || scope !== "all" || snapshots === undefined) return undefined;
    return (this.#takingSnapshot ??= this.#startSnapshot(this.#messageUuid));
  }

  /** Called when `beforeAnything` may be called soon. */
  expect(): void {
    const { transcript, scope } = this.#options;
    if (transcript !== null && scope === "all") loadAhead(() => this.#loadSnapshots());
  }

  /** A failure is reported to those who wait for this snapshot; the next call takes a new one. */
  #startSnapshot(messageUuid: string): Promise<void> {
    const taking = this.#takeSnapshot(messageUuid);
    taking.catch(() => {
      if (this.#takingSnapshot === taking) this.#takingSnapshot = null;
    });
    return taking;
  }

  async #takeSnapshot(messageUuid: string): Promise<void> {
    // The end of the previous turn: the end of this one waits for what is started here.
    const ending = this.#endingTurn;
    const snapshots = await this.#loadSnapshots();
    await ending;
    await snapshots?.begin(messageUuid);
  }

  /** The work of a prompt is over. `isBusy`: some continues in the background, and changes are still attributed to the prompt. */
  endTurn(isBusy: boolean): void {
    if ((this.#snapshots === undefined && this.#takingSnapshot === null) || isBusy) return;
    this.#endingTurn = this.#endSnapshots();
  }

  /** Work continues that no turn waits for. Resolves once changes from now on are attributed to it. */
  async reopen(): Promise<void> {
    await this.#snapshots?.reopen();
  }

  async #endSnapshots(): Promise<void> {
    await this.#takingSnapshot?.catch(() => undefined);
    await this.#snapshots?.end();
  }

  /** Resolves once `path` may be changed: its content is kept and recorded. Throws a `ToolError` if that failed. */
  async before(path: string): Promise<void> {
    const { transcript, scope } = this.#options;
    if (transcript === null || scope === "off") return;
    const earlier = this.#savedVersions.get(path);
    if (earlier !== undefined) return await earlier;
    const keeping = this.#saveVersion(transcript, path, this.#messageUuid);
    this.#savedVersions.set(path, keeping);
    try {
      await keeping;
    } catch (error) {
      this.#savedVersions.delete(path);
      throw error;
    }
  }

  async #saveVersion(transcript: Transcript, path: string, messageUuid: string): Promise<void> {
    const { keepFile } = await loadKeep();
    keepFile({ transcript, path, messageUuid, maxBytes: this.#mostBytes, flush: this.#options.flush });
  }

  get isRewinding(): boolean {
    return this.#rewinding !== null;
  }

  /**
   * Restores every file that a tool has changed since the prompt, and removes files created since. Keeps what is replaced as
   * well. Not while a turn runs. Never throws: problems are in the result.
   */
  async rewind(messageUuid: string, { dryRun = false }: RewindFilesOptions = {}): Promise<RewindFilesResult> {
    const { transcript, flush, onRestored, scope, lastSeen } = this.#options;
    if (transcript === null) return cannotRewind("This session is not persisted, so no file was kept");
    if (scope === "off") return cannotRewind("File checkpoints are switched off, so no file was kept");
    const work = (async () => {
      const { rewindFiles } = await import("./rewind.ts");
      await this.#endingTurn;
      const trees = (await this.#loadSnapshots())?.trees;
      const kept = { transcript, flush, mostBytes: this.#mostBytes, ...(trees === undefined ? {} : { trees }) };
      return await rewindFiles({ ...kept, messageUuid, dryRun, onRestored, lastSeen });
    })();
    this.#rewinding = work;
    try {
      return await work;
    } finally {
      this.#rewinding = null;
    }
  }

  /** As `settled`, when the session closes: its last snapshot takes in only what a rewind of this session needs. */
  async close(): Promise<void> {
    await this.#rewinding?.catch(() => undefined);
    this.#snapshots?.trees.close();
    await this.settled();
  }

  /** Resolves once no rewind and no snapshot of the working folders is in progress. */
  async settled(): Promise<void> {
    await this.#rewinding?.catch(() => undefined);
    await this.#takingSnapshot?.catch(() => undefined);
    await this.#endingTurn;
  }
}

function cannotRewind(why: string): RewindFilesResult {
  return { canRewind: false, error: `${why}: there is nothing to rewind to.` };
}
