/**
 * File checkpoints: before a tool first changes a file in a user turn, what the file holds is kept and noted in the transcript,
 * so that `rewind` can put it back, in this process or in one that resumes the session.
 */
import { loadOnce } from "../lib/load-once.ts";
import type { Transcript } from "../transcript/index.ts";

export interface RewindFilesOptions {
  /** Says what would be done, and does nothing. */
  dryRun?: boolean;
}

export interface RewindFilesResult {
  /** False: nothing was looked at, and `error` says why. */
  canRewind: boolean;
  /** One or more sentences, for people. With `canRewind`: what could not be put back. */
  error?: string;
  /** Absolute. Put back, or (`dryRun`) to be. */
  filesChanged?: string[];
  /** Lines that come back. Binary files count none. */
  insertions?: number;
  /** Lines that go. */
  deletions?: number;
  /** How many of `skipped` are links, or what is no plain file. */
  skippedLinks?: number;
  /** Left as they are. */
  skipped?: { path: string; reason: string }[];
}

export interface CheckpointOptions {
  /** Null: the session is not persisted, and nothing is kept. */
  transcript: Transcript | null;
  /** Contents are on the medium before the change. */
  flush: boolean;
  /** Larger files are noted, not kept. */
  mostBytes?: number;
  /** Told of each file that was put back. */
  onRestored: (path: string) => void;
}

const defaultMostBytes = 64 << 20;
const loadKeep = loadOnce(() => import("./keep-file.ts"));

export class Checkpoints {
  readonly #options: CheckpointOptions;
  readonly #mostBytes: number;
  #messageUuid = "";
  #kept = new Map<string, Promise<void>>();
  #rewinding: Promise<unknown> | null = null;

  constructor(options: CheckpointOptions) {
    this.#options = options;
    this.#mostBytes = options.mostBytes ?? defaultMostBytes;
  }

  /** A prompt was recorded: what files are changed to from now on is its doing. */
  beginTurn(messageUuid: string): void {
    this.#messageUuid = messageUuid;
    this.#kept.clear();
  }

  /** Resolves once `path` may be changed: what it held is kept and recorded. Throws a `ToolError` where that failed. */
  async before(path: string): Promise<void> {
    const { transcript } = this.#options;
    if (transcript === null) return;
    const earlier = this.#kept.get(path);
    if (earlier !== undefined) return await earlier;
    const keeping = this.#keep(transcript, path, this.#messageUuid);
    this.#kept.set(path, keeping);
    try {
      await keeping;
    } catch (error) {
      this.#kept.delete(path);
      throw error;
    }
  }

  async #keep(transcript: Transcript, path: string, messageUuid: string): Promise<void> {
    const { keepFile } = await loadKeep();
    keepFile({ transcript, path, messageUuid, mostBytes: this.#mostBytes, flush: this.#options.flush });
  }

  get isRewinding(): boolean {
    return this.#rewinding !== null;
  }

  /**
   * Puts every file a tool has changed since the prompt back to what it was before it, and removes files made since. What is replaced
   * is kept as well. Not while a turn runs. Never throws: what went wrong is in the result.
   */
  async rewind(messageUuid: string, { dryRun = false }: RewindFilesOptions = {}): Promise<RewindFilesResult> {
    const { transcript, flush, onRestored } = this.#options;
    if (transcript === null)
      return {
        canRewind: false,
        error: "This session is not persisted, so no file was kept: there is nothing to rewind to.",
      };
    const work = (async () => {
      const { rewindFiles } = await import("./rewind.ts");
      return await rewindFiles({ transcript, messageUuid, dryRun, flush, mostBytes: this.#mostBytes, onRestored });
    })();
    this.#rewinding = work;
    try {
      return await work;
    } finally {
      this.#rewinding = null;
    }
  }

  /** Resolves once no rewind is under way. */
  async settled(): Promise<void> {
    await this.#rewinding?.catch(() => undefined);
  }
}
