/**
 * A value in a file of its own, replaced atomically: a reader, or a crash, finds the old value or the new one. Other processes may change
 * it too, so each change takes the file's lock and reads the file again first.
 */
import { basename, dirname, join } from "node:path";
import { pause } from "../../lib/pause.ts";
import { tryParseJson } from "../../lib/try-parse-json.ts";
import type { ClockPort } from "../../loop/ports.ts";
import { acquireLock, TranscriptError, type SessionLock, type TranscriptFileSystem } from "../../transcript/index.ts";
import { reasonOf, systemCode } from "../../lib/system-reason.ts";
import { openRegular, readRange, replaceFile } from "../../transcript/file-io.ts";
import type { ProcessTable } from "../../transcript/process-table.ts";

export interface KeptFileOptions<T> {
  /** Absolute; null: kept only in this process. */
  path: string | null;
  files: TranscriptFileSystem;
  processes: ProcessTable;
  clock: ClockPort;
  /** Flush writes to the disk. */
  flush: boolean;
  empty: T;
  /** The kind of value, for messages: `task list`. */
  what: string;
  /** Returns undefined for a value of another shape. */
  parse: (value: unknown) => T | undefined;
}

/** For people and the model: what is wrong with the file, and what to do. */
export class KeptFileError extends Error {
  override readonly name = "KeptFileError";
}

const maxBytes = 64 * 1024 * 1024;
const lockTimeoutMs = 10_000;
const firstPauseMs = 2;
const longestPauseMs = 50;

export class KeptFile<T> {
  readonly #options: KeptFileOptions<T>;
  #inMemory: T;
  #isTidy = false;

  constructor(options: KeptFileOptions<T>) {
    this.#options = options;
    this.#inMemory = options.empty;
  }

  /** Throws `KeptFileError`. */
  read(): T {
    const { path, what, parse, empty } = this.#options;
    if (path === null) return this.#inMemory;
    const text = this.#text(path);
    if (text === undefined) return empty;
    const value = parse(tryParseJson(text));
    if (value === undefined)
      throw new KeptFileError(`The ${what} in ${path} cannot be read. Move that file away to begin a new one.`);
    return value;
  }

  /**
   * Reads the value, lets `work` make the next one (undefined: keep it), and writes that. Changes are serialized across all processes.
   * Throws `KeptFileError`; the file is then unchanged.
   */
  async change<A>(work: (value: T) => { value?: T | undefined; answer: A }): Promise<A> {
    const { path } = this.#options;
    if (path === null) {
      const { value, answer } = work(this.#inMemory);
      if (value !== undefined) this.#inMemory = value;
      return answer;
    }
    const lock = await this.#lock(path);
    try {
      this.#tidy(path);
      const { value, answer } = work(this.read());
      if (value !== undefined) this.write(value);
      return answer;
    } finally {
      lock.release();
    }
  }

  /** Writes without a lock, for a caller that has the file to itself. Throws `KeptFileError`. */
  write(value: T): void {
    const { path, files, processes, what, flush } = this.#options;
    if (path === null) {
      this.#inMemory = value;
      return;
    }
    const draft = `${path}.${processes.nonce()}.new`;
    try {
      files.makeFolder(dirname(path));
      const bytes = Buffer.from(`${JSON.stringify(value)}\n`);
      replaceFile(files, bytes, { descriptor: files.open(draft, "create"), draft, path, flush });
    } catch (error) {
      throw new KeptFileError(`The ${what} cannot be written to ${path}: ${reasonOf(error)}.`, { cause: error });
    }
  }

  #text(path: string): string | undefined {
    const { files, what } = this.#options;
    try {
      const descriptor = openRegular(files, path, "read");
      try {
        const { size } = files.status(descriptor);
        if (size > maxBytes) throw new TranscriptError("too_large", `it has ${size} bytes`);
        return readRange(files, descriptor, 0, size).toString("utf8");
      } finally {
        files.close(descriptor);
      }
    } catch (error) {
      if (systemCode(error) === "ENOENT") return undefined;
      throw new KeptFileError(`The ${what} in ${path} cannot be read: ${reasonOf(error)}.`, { cause: error });
    }
  }

  async #lock(path: string): Promise<SessionLock> {
    const { files: fs, processes, clock, what } = this.#options;
    const until = clock.elapsed() + lockTimeoutMs;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
      try {
        return acquireLock(path, { fs, processes, now: () => clock.now(), mayHaveLeftovers: !this.#isTidy });
      } catch (error) {
        if (!(error instanceof TranscriptError)) throw error;
        if (error.code !== "locked" || clock.elapsed() >= until)
          throw new KeptFileError(`The ${what} in ${path} cannot be changed: ${lockReason(error)}`, { cause: error });
      }
      await pause(clock, pauseMs);
    }
  }

  /** Removes drafts of processes that died between writing and renaming. */
  #tidy(path: string): void {
    if (this.#isTidy) return;
    this.#isTidy = true;
    const { files, processes } = this.#options;
    const start = `${basename(path)}.`;
    try {
      for (const name of files.list(dirname(path))) {
        const pid = name.startsWith(start) ? /^(\d+)-[\w-]+\.new$/u.exec(name.slice(start.length))?.[1] : undefined;
        if (pid !== undefined && !processes.isAlive(Number(pid))) files.remove(join(dirname(path), name));
      }
    } catch (error) {
      // Leftover drafts do no harm: the file itself is intact.
      if (systemCode(error) === undefined) throw error;
    }
  }
}

function lockReason({ code, message, pid }: TranscriptError): string {
  if (code !== "locked") return message;
  return `${pid === undefined ? "another process" : `process ${pid}`} has held it for ${lockTimeoutMs / 1000} s. Try again.`;
}
