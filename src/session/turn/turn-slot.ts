/** The running turn, and how it is ended from outside: together with its consumer if that reads on, or without it. */
import { withImmediateReturn } from "../../lib/with-immediate-return.ts";
import { onAbort } from "../../lib/on-abort.ts";
import { toAsyncGenerator, type Steps } from "../../lib/steps.ts";
import { createCancel, type Cancel } from "../../loop/cancel.ts";
import type { ClockPort } from "../../loop/ports.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";

interface RunningTurn {
  cancel: Cancel;
  /** The consumer is handling a message, and the turn waits to be asked for the next one. */
  isHeld: boolean;
  ended: Promise<void>;
  end: () => void;
  /** Closes the generator from this side. */
  leave: () => Promise<unknown>;
}

export interface TurnCallbacks<R> {
  /** Called when the first message is requested. If it throws, the consumer gets the error and no turn has begun. */
  begin: (cancel: Cancel) => Steps<SDKMessage, R>;
  /** Returns the host's signal; called once the turn counts as running. `onAborted` is called if it aborts before the turn has settled. */
  abortSignal: () => AbortSignal | undefined;
  onAborted: () => void;
  /** Called before an assistant message is handed over. */
  onAnswering: () => void;
}

/** The one turn that may run in a session at a time. */
export class TurnSlot {
  #running: RunningTurn | null = null;
  /** Whether the last turn was cancelled: nobody waits for what it left in the background. */
  wasCancelled = false;

  /** The running turn's cancel; undefined if no turn runs. */
  get cancel(): Cancel | undefined {
    return this.#running?.cancel;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** Returns the turn's messages, for its only consumer. */
  run<R>(callbacks: TurnCallbacks<R>): AsyncGenerator<SDKMessage, R> {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const leave = (): Promise<unknown> => messages.return(undefined as never);
    const running: RunningTurn = { cancel: createCancel(), isHeld: false, ended, end, leave };
    const messages = toAsyncGenerator(this.#driveTurn(callbacks, running), {
      beforeEvent: ({ type }) => {
        if (type === "assistant") callbacks.onAnswering();
        // A consumer that has its result need not ask for more.
        if (type === "result") this.#endRunningTurn(running);
        running.isHeld = true;
      },
      afterEvent() {
        running.isHeld = false;
      },
    });
    return withImmediateReturn(messages, () => {
      if (this.#running === running && !running.isHeld) running.cancel.cancel("consumer");
    });
  }

  /** Settles once the turn is over and its consumer has finished or been abandoned. */
  async end(clock: ClockPort): Promise<void> {
    if (this.#running !== null) await endRunning(this.#running, clock);
  }

  *#driveTurn<R>({ begin, abortSignal, onAborted }: TurnCallbacks<R>, running: RunningTurn): Steps<SDKMessage, R> {
    const steps = begin(running.cancel);
    this.#running = running;
    const stopListening = onAbort(abortSignal(), onAborted);
    try {
      return yield* steps;
    } finally {
      stopListening();
      this.#endRunningTurn(running);
    }
  }

  #endRunningTurn(running: RunningTurn): void {
    if (this.#running !== running) return;
    this.#running = null;
    this.wasCancelled = running.cancel.cause !== null;
    running.end();
  }
}

/** A consumer that holds a message for longer than this is not waited for when the session closes. */
const readerGraceMs = 1_000;

async function endRunning(running: RunningTurn, clock: ClockPort): Promise<void> {
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
