/** The turn that runs, and how it is ended from outside: with its consumer where that takes what is left, without it where not. */
import { leftAtOnce } from "../../lib/left-at-once.ts";
import { onAbort } from "../../lib/on-abort.ts";
import { driven, type Steps } from "../../lib/steps.ts";
import { createCancel, type Cancel } from "../../loop/cancel.ts";
import type { ClockPort } from "../../loop/ports.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";

interface Running {
  cancel: Cancel;
  /** Its consumer has a message in hand, and the turn waits to be asked for the next. */
  isHeld: boolean;
  ended: Promise<void>;
  end: () => void;
  /** Closes the generator from this side. */
  leave: () => Promise<unknown>;
}

export interface Leader<R> {
  /** Called when the first message is asked for. What it throws is the consumer's, and nothing has begun. */
  begin: (cancel: Cancel) => Steps<SDKMessage, R>;
  /** The host's signal, asked for once it counts as running; `aborted` is called where it aborts until all of it is settled. */
  abortedBy: () => AbortSignal | undefined;
  aborted: () => void;
  /** Called before a message of the model's is handed over. */
  answering: () => void;
}

/** The one turn that may run in a session at a time. */
export class TurnSlot {
  #running: Running | null = null;
  /** The last turn was told to end: nobody waits for what it left in the background. */
  wasCancelled = false;

  /** Of the turn that runs; undefined where none does. */
  get cancel(): Cancel | undefined {
    return this.#running?.cancel;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** Its messages, for its one consumer. */
  run<R>(leader: Leader<R>): AsyncGenerator<SDKMessage, R> {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const leave = (): Promise<unknown> => messages.return(undefined as never);
    const running: Running = { cancel: createCancel(), isHeld: false, ended, end, leave };
    const messages = driven(this.#led(leader, running), {
      giving: ({ type }) => {
        if (type === "assistant") leader.answering();
        // A consumer that has its result need not ask for more.
        if (type === "result") this.#ended(running);
        running.isHeld = true;
      },
      taken() {
        running.isHeld = false;
      },
    });
    return leftAtOnce(messages, () => {
      if (this.#running === running && !running.isHeld) running.cancel.cancel("consumer");
    });
  }

  /** Settles once the turn is over, and its consumer has left or been left. */
  async end(clock: ClockPort): Promise<void> {
    if (this.#running !== null) await endRunning(this.#running, clock);
  }

  *#led<R>({ begin, abortedBy, aborted }: Leader<R>, running: Running): Steps<SDKMessage, R> {
    const steps = begin(running.cancel);
    this.#running = running;
    const stopListening = onAbort(abortedBy(), aborted);
    try {
      return yield* steps;
    } finally {
      stopListening();
      this.#ended(running);
    }
  }

  #ended(running: Running): void {
    if (this.#running !== running) return;
    this.#running = null;
    this.wasCancelled = running.cancel.cause !== null;
    running.end();
  }
}

/** A consumer that sits on a message for longer than this is not waited for when the session closes. */
const readerGraceMs = 1_000;

async function endRunning(running: Running, clock: ClockPort): Promise<void> {
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
