/** Background hooks that may wake the session (`asyncRewake`): how many run, and whether one has reported. */
import type { HookDependencies } from "../../hooks/runner.ts";

/** Limit without input from the user in between: otherwise a hook that is never satisfied would go on for ever. */
const maxInRow = 8;

export class Waking implements NonNullable<HookDependencies["waking"]> {
  running = 0;
  /** Reports that the model has not been told yet. */
  readonly unreported: string[] = [];
  #inRow = 0;
  #reported = Promise.withResolvers<void>();

  get waiting(): number {
    return this.unreported.length;
  }

  noteStart(): void {
    this.running += 1;
  }

  noteEnd(text: string | undefined): void {
    this.running -= 1;
    if (text !== undefined && this.#inRow < maxInRow) {
      this.unreported.push(text);
      this.#inRow += 1;
    } else if (this.running > 0) return;
    this.#reported.resolve();
    this.#reported = Promise.withResolvers<void>();
  }

  noteDelivery(): void {
    this.unreported.length = 0;
  }

  /** Called when the user has submitted something. */
  userSubmitted(): void {
    this.#inRow = 0;
  }

  /** Resolves once a hook has woken the session, or none runs. */
  async whenReported(): Promise<void> {
    if (this.running > 0 && this.waiting === 0) await this.#reported.promise;
  }
}
