/** Sends lines to a host's store: in batches, in order, with retries, and with a notice for lines the store does not take. */
import { withTimeLimit } from "../../lib/with-time-limit.ts";
import { errorText } from "../../lib/error-text.ts";
import type { ClockPort } from "../../loop/ports.ts";
import type { SessionKey, SessionStore, SessionStoreEntry } from "../options/host-store.ts";
import type { TranscriptMirror } from "../options/transcript-mirror.ts";

export interface StoreMirrorOptions {
  store: Pick<SessionStore, "append">;
  /** Returns undefined for a transcript that is not mirrored. */
  keyOf: (path: string) => SessionKey | undefined;
  /** Sends each line by itself, at once. */
  isEager: boolean;
  clock: ClockPort;
  /** Tells people what was not mirrored. */
  notify: (text: string) => void;
}

const batchMs = 100;
const appendTimeoutMs = 60_000;
const maxTries = 3;
const backoffMs = 200;
/** The most characters that wait for a slow store; further lines are given up. */
const maxWaitingChars = 64 * 1024 * 1024;

interface Batch {
  key: SessionKey;
  entries: SessionStoreEntry[];
  size: number;
}

export class StoreMirror implements TranscriptMirror {
  readonly #options: StoreMirrorOptions;
  #batches: Batch[] = [];
  #waitingChars = 0;
  #stopTimer: (() => void) | undefined;
  #work: Promise<void> | undefined;

  constructor(options: StoreMirrorOptions) {
    this.#options = options;
  }

  wrote(path: string, line: string): void {
    const { keyOf, isEager, clock } = this.#options;
    const key = keyOf(path);
    if (key === undefined) return;
    if (this.#waitingChars + line.length > maxWaitingChars) return this.#reportLost(key, "it is too far behind");
    this.#waitingChars += line.length;
    const entry = JSON.parse(line) as SessionStoreEntry;
    const last = isEager ? undefined : this.#batches.at(-1);
    if (last !== undefined && isSameKey(last.key, key)) {
      last.entries.push(entry);
      last.size += line.length;
    } else this.#batches.push({ key, entries: [entry], size: line.length });
    this.#stopTimer ??= clock.timer(isEager ? 0 : batchMs, () => this.#startSending());
  }

  async settled(): Promise<void> {
    this.#startSending();
    while (this.#work !== undefined) await this.#work;
  }

  #startSending(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    if (this.#work !== undefined || this.#batches.length === 0) return;
    this.#work = this.#send().finally(() => {
      this.#work = undefined;
      if (this.#batches.length > 0) this.#startSending();
    });
  }

  async #send(): Promise<void> {
    for (const batch of this.#batches.splice(0)) {
      await this.#append(batch);
      this.#waitingChars -= batch.size;
    }
  }

  async #append({ key, entries }: Batch): Promise<void> {
    for (let tried = 1; ; tried++) {
      const failure = await this.#attempt(key, entries);
      if (failure === undefined) return;
      if (failure.isFinal || tried === maxTries) return this.#reportLost(key, failure.why);
      await new Promise<void>((done) => this.#options.clock.timer(backoffMs * tried, done));
    }
  }

  async #attempt(
    key: SessionKey,
    entries: SessionStoreEntry[],
  ): Promise<{ why: string; isFinal: boolean } | undefined> {
    try {
      const answer = await withTimeLimit(this.#options.clock, appendTimeoutMs, this.#appendOnce(key, entries));
      // The entries may still arrive: a retry could write them twice.
      return answer === null ? { why: "it did not answer in time", isFinal: true } : undefined;
    } catch (error) {
      return { why: errorText(error), isFinal: false };
    }
  }

  /** An untyped store may work synchronously and return no promise. */
  async #appendOnce(key: SessionKey, entries: SessionStoreEntry[]): Promise<undefined> {
    await this.#options.store.append(key, entries);
    return undefined;
  }

  #reportLost({ sessionId }: SessionKey, why: string): void {
    this.#options.notify(
      `A part of the session ${sessionId} was not mirrored: the store failed (${why}). The transcript here has it.`,
    );
  }
}

function isSameKey(one: SessionKey, other: SessionKey): boolean {
  return one.sessionId === other.sessionId && one.subpath === other.subpath && one.projectKey === other.projectKey;
}
