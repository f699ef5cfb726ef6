/** The turn that runs, and how it is ended from outside: with its consumer where that takes what is left, without it where not. */
import { closed, completed, Pending, type Steps } from "../lib/steps.ts";
import type { Cancel } from "../loop/cancel.ts";
import type { ClockPort } from "../loop/ports.ts";
import type { SDKMessage } from "../protocol/sdk.ts";

export interface Running {
  cancel: Cancel;
  /** Its consumer has a message in hand, and the turn waits to be asked for the next. */
  isHeld: boolean;
  ended: Promise<void>;
  end: () => void;
  /** Closes the generator from this side. */
  leave: () => Promise<unknown>;
}

export interface Begun<R> {
  steps: Steps<SDKMessage, R>;
  /** Called once all of it is settled. */
  end: () => void;
}

interface Leader<R> {
  /** Called when the first message is asked for. What it throws is the consumer's. */
  begin: () => Begun<R>;
  /** Called before a message of the model's, and before a result, is handed over. */
  answering: () => void;
  ending: () => void;
}

/** The messages of the turn that runs, for its one consumer. */
export async function* handedOver<R>(running: Running, leader: Leader<R>): AsyncGenerator<SDKMessage, R> {
  const { steps, end } = leader.begin();
  try {
    let step = steps.next();
    for (;;) {
      if (step.done === true) return step.value;
      let value: unknown;
      if (step.value instanceof Pending) {
        try {
          value = await step.value.promise;
        } catch (error) {
          step = steps.throw(error);
          continue;
        }
      } else {
        if (step.value.type === "assistant") leader.answering();
        // A consumer that has its result need not ask for more.
        if (step.value.type === "result") leader.ending();
        running.isHeld = true;
        yield step.value;
        running.isHeld = false;
      }
      step = steps.next(value);
    }
  } finally {
    await completed(closed(steps));
    end();
  }
}

/** A consumer that sits on a message for longer than this is not waited for when the session closes. */
const readerGraceMs = 1_000;

/** Settles once the turn is over, and its consumer has left or been left. */
export async function endRunning(running: Running, clock: ClockPort): Promise<void> {
  running.cancel.cancel("shutdown");
  const left: Promise<unknown>[] = [];
  let stopTimer = (): void => {};
  const watch = (): void => {
    stopTimer = clock.timer(readerGraceMs, () => {
      if (running.isHeld) left.push(running.leave());
      else watch();
    });
  };
  watch();
  await running.ended;
  stopTimer();
  await Promise.all(left);
}

/** At once where it was aborted before. Answers what ends the listening. */
export function onAbort(signal: AbortSignal | undefined, react: () => void): () => void {
  if (signal?.aborted === true) react();
  signal?.addEventListener("abort", react);
  return () => signal?.removeEventListener("abort", react);
}
