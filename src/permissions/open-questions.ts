/** Tracks open questions: if the permissions change meanwhile, a question may be settled before anybody answers it. */
import { Doorbell, rung } from "../lib/doorbell.ts";
import { onAbort } from "../lib/on-abort.ts";
import type { PermissionAnswer } from "../protocol/permission.ts";
import type { Judgement } from "./judging/verdict.ts";

export type QuestionResult = AskOutcome | { kind: "settled"; verdict: Judgement };

export class OpenQuestions {
  readonly #bells = new Set<Doorbell>();
  readonly #parent: OpenQuestions | undefined;
  #changes = 0;

  /** A change in `parent` also counts as a change here. */
  constructor(parent?: OpenQuestions) {
    this.#parent = parent;
  }

  /** How many times the permissions have changed. */
  get changes(): number {
    return this.#changes + (this.#parent?.changes ?? 0);
  }

  #addBell(bell: Doorbell): void {
    this.#bells.add(bell);
    if (this.#parent !== undefined) this.#parent.#addBell(bell);
  }

  #removeBell(bell: Doorbell): void {
    this.#bells.delete(bell);
    if (this.#parent !== undefined) this.#parent.#removeBell(bell);
  }

  notifyChange(): void {
    this.#changes += 1;
    for (const bell of this.#bells) bell.ring();
  }

  /**
   * Asks, and calls `judge` after each change since `changes`. `judge` resolves to null if the question still needs an answer; otherwise
   * the question is settled and withdrawn.
   */
  async askUnlessSettled(
    ask: (signal: AbortSignal) => Promise<AskOutcome>,
    judge: () => Promise<Judgement | null>,
    changes: number,
    signal: AbortSignal,
  ): Promise<QuestionResult> {
    const bell = new Doorbell();
    const own = new AbortController();
    const stopListening = onAbort(signal, () => own.abort(signal.reason));
    this.#addBell(bell);
    try {
      const before = changes === this.changes ? null : await judge();
      if (before !== null) return { kind: "settled", verdict: before };
      const answer = ask(own.signal);
      for (;;) {
        const outcome = await bell.wait(answer);
        if (outcome !== rung) return outcome;
        const verdict = await judge();
        if (verdict !== null) return { kind: "settled", verdict };
      }
    } finally {
      this.#removeBell(bell);
      stopListening();
      own.abort("settled");
    }
  }
}

export type AskOutcome =
  | { kind: "answered"; answer: PermissionAnswer }
  | { kind: "expired" | "cancelled" }
  | { kind: "failed"; text: string };
