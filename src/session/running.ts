/** The turn that runs, and how it is ended from outside: with its consumer where that takes what is left, without it where not. */
import { driven, type Steps } from "../lib/steps.ts";
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
export function handedOver<R>(running: Running, leader: Leader<R>): AsyncGenerator<SDKMessage, R> {
  return driven(led(leader), {
    giving({ type }) {
      if (type === "assistant") leader.answering();
      // A consumer that has its result need not ask for more.
      if (type === "result") leader.ending();
      running.isHeld = true;
    },
    taken() {
      running.isHeld = false;
    },
  });
}

function* led<R>({ begin }: Leader<R>): Steps<SDKMessage, R> {
  const { steps, end } = begin();
  try {
    return yield* steps;
  } finally {
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
