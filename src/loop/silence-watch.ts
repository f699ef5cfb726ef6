/** Detects a model that sends nothing for too long, so that its request can be abandoned. */
import type { ModelOutcome } from "../protocol/model.ts";
import type { Run } from "./run.ts";

/** Uses one timer for the whole response. Time that a slow consumer takes is not silence. */
export class SilenceWatch {
  /** The model was asked for its next event since the timer was set, and the last event was not a ping. */
  hasAsked = false;
  isWaiting = false;
  isExpired = false;
  readonly #run: Run;
  readonly #controller: AbortController;
  #stop: () => void;

  constructor(run: Run, controller: AbortController) {
    this.#run = run;
    this.#controller = controller;
    this.#stop = this.#arm();
  }

  stop(): void {
    this.#stop();
  }

  #arm(): () => void {
    return this.#run.ports.clock.timer(this.#run.limits.modelSilenceMs, () => this.#onTimer());
  }

  #onTimer(): void {
    if (this.hasAsked || !this.isWaiting) {
      this.hasAsked = false;
      this.#stop = this.#arm();
      return;
    }
    this.isExpired = true;
    this.#controller.abort("silence");
    this.#run.doorbell.ring();
  }
}

/** The outcome of a request that was abandoned because of the silence. */
export function stalledOutcome(run: Run): ModelOutcome {
  const message = `The model sent nothing for ${Math.round(run.limits.modelSilenceMs / 1000)} s, so the request was abandoned.`;
  return { ok: false, failure: { kind: "stalled", message, recovery: "retry" } };
}
