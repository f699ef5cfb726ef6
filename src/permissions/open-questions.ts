/** Tracks open questions: if the permissions change meanwhile, a question may be settled before anybody answers it. */
import { Doorbell, rung } from "../lib/doorbell.ts";
import type { PermissionAnswer } from "../protocol/permission.ts";
import type { Judgement } from "./judging/verdict.ts";

export type Put = Outcome | { kind: "settled"; verdict: Judgement };

export class OpenQuestions {
  readonly #bells = new Set<Doorbell>();
  readonly #above: OpenQuestions | undefined;
  #changes = 0;

  /** A change in `above` also counts as a change here. */
  constructor(above?: OpenQuestions) {
    this.#above = above;
  }

  /** How many times the permissions have changed. */
  get changes(): number {
    return this.#changes + (this.#above?.changes ?? 0);
  }

  #hang(bell: Doorbell): void {
    this.#bells.add(bell);
    if (this.#above !== undefined) this.#above.#hang(bell);
  }

  #takeDown(bell: Doorbell): void {
    this.#bells.delete(bell);
    if (this.#above !== undefined) this.#above.#takeDown(bell);
  }

  changed(): void {
    this.#changes += 1;
    for (const bell of this.#bells) bell.ring();
  }

  /**
   * Asks, and calls `judge` after each change since `changes`. `judge` resolves to null if the question still needs an answer; otherwise
   * the question is settled and withdrawn.
   */
  async put(
    ask: (signal: AbortSignal) => Promise<Outcome>,
    judge: () => Promise<Judgement | null>,
    changes: number,
    signal: AbortSignal,
  ): Promise<Put> {
    const bell = new Doorbell();
    const own = new AbortController();
    const onAbort = (): void => own.abort(signal.reason);
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    this.#hang(bell);
    try {
      const before = changes === this.changes ? null : await judge();
      if (before !== null) return { kind: "settled", verdict: before };
      const asked = ask(own.signal);
      for (;;) {
        const outcome = await bell.wait(asked);
        if (outcome !== rung) return outcome;
        const verdict = await judge();
        if (verdict !== null) return { kind: "settled", verdict };
      }
    } finally {
      this.#takeDown(bell);
      signal.removeEventListener("abort", onAbort);
      own.abort("settled");
    }
  }
}

export type Outcome =
  | { kind: "answered"; answer: PermissionAnswer }
  | { kind: "expired" | "cancelled" }
  | { kind: "failed"; text: string };
