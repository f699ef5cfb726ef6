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

interface TakenTexts extends Texts {
  wasCutOff: boolean;
}

type Take = (signal: AbortSignal) => Promise<Texts>;

export class OpeningTexts {
  readonly #take: Take;
  readonly #processes: Pick<ProcessTable, "onExit" | "offExit">;
  #stopped = new AbortController();
  #taking: Promise<void>;
  #texts: TakenTexts | undefined;
  #failure: unknown = new Error("Something asked for the system prompt before it was there.");

  /** `take` begins at once; it ends what it started when its signal is aborted, and at the latest with this process. */
  constructor(take: Take, processes: Pick<ProcessTable, "onExit" | "offExit">) {
    this.#take = take;
    this.#processes = processes;
    this.#taking = this.#begin(this.#stopped.signal);
  }

  /** Undefined once the texts are there; takes them anew if they were cut off. Never rejects: whoever then reads a text gets the error. */
  ready(): Promise<void> | undefined {
    if (this.#stopped.signal.aborted) {
      // Whoever waited for what was cut off still reads that.
      const { signal } = (this.#stopped = new AbortController());
      this.#taking = this.#taking.then(() => this.#begin(signal));
    }
    return this.#isTaking ? this.#taking : undefined;
  }

  /** The same on each call, so that it stays the cached prefix. Throws before `ready()` has resolved, and if it could not be made. */
  get system(): SystemBlock[] {
    return this.#get().system;
  }

  /** Facts about the folder and the machine for the first message; empty if the system prompt has them. Throws as `system` does. */
  get place(): string {
    return this.#get().place;
  }

  /** True after `stop()`. The texts then say that they lack something: no request is sent with them, and they belong into no record. */
  get wasCutOff(): boolean {
    return this.#texts?.wasCutOff ?? this.#stopped.signal.aborted;
  }

  /** Ends git: whoever waits gives up. */
  stop(): void {
    if (this.#isTaking) this.#stopped.abort();
  }

  /** The same; resolves once nothing runs any more. */
  async end(): Promise<void> {
    this.stop();
    await this.#taking;
  }

  get #isTaking(): boolean {
    return this.#texts?.wasCutOff ?? true;
  }

  #begin(signal: AbortSignal): Promise<void> {
    const stop = (): void => this.stop();
    this.#processes.onExit(stop);
    return this.#take(signal)
      .then(
        (texts) => void (this.#texts = { ...texts, wasCutOff: signal.aborted }),
        (error: unknown) => {
          this.#texts = undefined;
          this.#failure = error;
        },
      )
      .finally(() => this.#processes.offExit(stop));
  }

  #get(): Texts {
    if (this.#texts === undefined) throw this.#failure;
    return this.#texts;
  }
}
