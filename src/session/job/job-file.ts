/**
 * The state of a background job, for programs that list jobs: one small file, replaced atomically whenever the state changes.
 * Written from the start of a turn on, so that it never describes an earlier one.
 */
import { errorText } from "../../lib/error-text.ts";
import { join } from "node:path";
import { writeFileAtomically } from "../../lib/atomic-write.ts";
import { makeFolders } from "../../lib/make-folders.ts";
import { oneLine } from "../../lib/sanitize.ts";

export const jobStates = ["working", "blocked", "needs_input", "done", "failed"] as const;
export type JobState = (typeof jobStates)[number];

export interface JobVerdict {
  state: JobState;
  /** For people; cut to one line. */
  detail: string;
}

/** `state.json`. */
export interface JobRecord extends JobVerdict {
  version: 1;
  /** ISO 8601. */
  updatedAt: string;
  sessionId: string;
  /** Pid of the process that wrote it: a job that is `working` but whose process is gone was killed. */
  pid: number;
  /** Absolute. */
  cwd: string;
}

const maxDetailChars = 200;

export interface JobFileOptions {
  /** Absolute; created if missing. */
  folder: string;
  sessionId: string;
  cwd: string;
  clock: { timestamp(): string };
  /** Called once if the file cannot be written. */
  notice: (text: string) => void;
}

export class JobFile {
  readonly #options: JobFileOptions;
  #writing: Promise<void> = Promise.resolve();
  #hasComplained = false;

  constructor(options: JobFileOptions) {
    this.#options = options;
  }

  /** Replaces what was written before; `settled` tells when this is done. */
  put({ state, detail }: JobVerdict): void {
    const { folder, sessionId, cwd, clock } = this.#options;
    const updatedAt = clock.timestamp();
    const about = { updatedAt, sessionId, pid: process.pid, cwd };
    const record: JobRecord = { version: 1, state, detail: oneLine(detail, maxDetailChars), ...about };
    this.#writing = this.#writing.then(() => this.#replace(folder, record));
  }

  /** Never rejects. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  async #replace(folder: string, record: JobRecord): Promise<void> {
    try {
      makeFolders(folder, 0o700);
      await writeFileAtomically(join(folder, "state.json"), Buffer.from(`${JSON.stringify(record, null, 2)}\n`), {
        mode: 0o600,
      });
    } catch (error) {
      if (this.#hasComplained) return;
      this.#hasComplained = true;
      const why = errorText(error);
      this.#options.notice(`The state of this job cannot be written to ${folder} (PAWL_JOB_DIR): ${why}`);
    }
  }
}
