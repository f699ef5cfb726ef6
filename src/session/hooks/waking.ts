/** Hooks in the background that may wake the session (`asyncRewake`): how many run, and whether one has. */
import type { HookDependencies } from "../../hooks/runner.ts";

/** Without a word of the user's in between: one that is never content would go on for ever. */
const mostInRow = 8;

export class Waking implements NonNullable<HookDependencies["waking"]> {
  running = 0;
  /** What they said that the model was not told yet. */
  readonly untold: string[] = [];
  #inRow = 0;
  #heard = Promise.withResolvers<void>();

  get waiting(): number {
    return this.untold.length;
  }

  begun(): void {
    this.running += 1;
  }

  ended(said: string | undefined): void {
    this.running -= 1;
    if (said !== undefined && this.#inRow < mostInRow) {
      this.untold.push(said);
      this.#inRow += 1;
    } else if (this.running > 0) return;
    this.#heard.resolve();
    this.#heard = Promise.withResolvers<void>();
  }

  taken(): void {
    this.untold.length = 0;
  }

  /** The user has said something. */
  heardUser(): void {
    this.#inRow = 0;
  }

  /** Resolves once one has woken the session, or none runs. */
  async whenHeard(): Promise<void> {
    if (this.running > 0 && this.waiting === 0) await this.#heard.promise;
  }
}
