/**
 * What a session tells the model of its start: the system prompt, and what the first message says of the place. Git takes its time to
 * describe a repository, so the texts are taken while the session already answers its user.
 */
import type { ProcessTable } from "../../transcript/process-table.ts";
import type { SystemBlock } from "../../protocol/model.ts";

interface Texts {
  system: SystemBlock[];
  place: string;
}

export class OpeningTexts {
  readonly #stopped = new AbortController();
  readonly #taking: Promise<void>;
  #texts: Texts | undefined;
  #failure: unknown = new Error("Something asked for the system prompt before it was there.");

  /** `take` begins at once; it ends what it started when its signal is aborted, and at the latest with this process. */
  constructor(take: (signal: AbortSignal) => Promise<Texts>, processes: Pick<ProcessTable, "onExit" | "offExit">) {
    const stop = (): void => this.stop();
    processes.onExit(stop);
    this.#taking = take(this.#stopped.signal)
      .then(
        (texts) => void (this.#texts = texts),
        (error: unknown) => void (this.#failure = error),
      )
      .finally(() => processes.offExit(stop));
  }

  /** Undefined once the texts are there. Never rejects: whoever then reads a text gets the error. */
  ready(): Promise<void> | undefined {
    return this.#texts === undefined ? this.#taking : undefined;
  }

  /** The same on each call, so that it stays the cached prefix. Throws before `ready()` has resolved, and if it could not be made. */
  get system(): SystemBlock[] {
    return this.#get().system;
  }

  /** Facts about the folder and the machine for the first message; empty if the system prompt has them. Throws as `system` does. */
  get place(): string {
    return this.#get().place;
  }

  /** True if the session ended first. The texts then say that they lack something, and belong into no record. */
  get wasCutOff(): boolean {
    return this.#stopped.signal.aborted;
  }

  /** Ends git: no request will follow. */
  stop(): void {
    if (this.#texts === undefined) this.#stopped.abort();
  }

  /** The same; resolves once nothing runs any more. */
  async end(): Promise<void> {
    this.stop();
    await this.#taking;
  }

  #get(): Texts {
    if (this.#texts === undefined) throw this.#failure;
    return this.#texts;
  }
}
