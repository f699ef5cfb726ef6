/**
 * Asynchronous work in plain generators, which yield either events for the consumer or promises to wait for. One driver waits for all
 * levels; with an async generator per level, every event would cost promises at each level it passes.
 */

/** Yielded instead of an `await`; the settled value, or the error, comes back. */
export class Pending {
  readonly promise: PromiseLike<unknown>;
  /** The name and the limit (ms) of this wait; undefined: those of the whole. */
  readonly about?: { name: string; limitMs: number } | undefined;

  constructor(promise: PromiseLike<unknown>, about?: { name: string; limitMs: number }) {
    this.promise = promise;
    this.about = about;
  }
}

/** Yields events `E` and returns `R`. Delegate to steps only; loop over a list, since nothing can be thrown into one. */
export type Steps<E, R> = Generator<E | Pending, R, unknown>;

/** Whether an answer that may be immediate is still to come. */
export function isPromise<T>(answer: T | PromiseLike<T>): answer is PromiseLike<T> {
  return typeof answer === "object" && answer !== null && "then" in answer && typeof answer.then === "function";
}

/** `yield* waitFor(promise)` replaces `await promise`. */
export function* waitFor<T>(promise: PromiseLike<T>, about?: Pending["about"]): Steps<never, T> {
  return (yield new Pending(promise, about)) as T;
}

/** Called before each event is given to the consumer, and once the consumer asks for more. */
interface EventHandover<E> {
  beforeEvent(event: E): void;
  afterEvent(): void;
}

/** Runs the steps as an async generator. A consumer that leaves closes the steps, and waits until they are closed. */
export async function* toAsyncGenerator<E, R>(steps: Steps<E, R>, handover?: EventHandover<E>): AsyncGenerator<E, R> {
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
        handover?.beforeEvent(step.value);
        yield step.value;
        handover?.afterEvent();
      }
      step = steps.next(value);
    }
  } finally {
    await runSteps(closeSteps(steps));
  }
}

/** Runs steps without events to their end. */
export async function runSteps<R>(steps: Steps<never, R>): Promise<R> {
  let step = steps.next();
  while (step.done !== true) {
    let value: unknown;
    try {
      value = await step.value.promise;
    } catch (error) {
      step = steps.throw(error);
      continue;
    }
    step = steps.next(value);
  }
  return step.value;
}

/** The same steps with each event converted by `show`; null drops the event. */
export function* mapEvents<E, F, R>(steps: Steps<E, R>, show: (event: E) => F | null): Steps<F, R> {
  try {
    let step = steps.next();
    for (;;) {
      if (step.done === true) return step.value;
      let value: unknown;
      if (step.value instanceof Pending) {
        // As in `passWait`, but without a generator per wait: everything in a run passes through here.
        try {
          value = yield step.value;
        } catch (error) {
          step = steps.throw(error);
          continue;
        }
      } else {
        const shown = show(step.value);
        if (shown !== null) yield shown;
      }
      step = steps.next(value);
    }
  } finally {
    yield* closeSteps(steps);
  }
}

/** The same steps with each event replaced by the events of `pass`. */
export function* flatMapEvents<E, F, R>(steps: Steps<E, R>, pass: (event: E) => Steps<F, void>): Steps<F, R> {
  try {
    let step = steps.next();
    for (;;) {
      if (step.done === true) return step.value;
      if (step.value instanceof Pending) step = yield* passWait(steps, step.value);
      else {
        yield* pass(step.value);
        step = steps.next();
      }
    }
  } finally {
    yield* closeSteps(steps);
  }
}

/** Passes a wait on to the driver, and its outcome back. */
function* passWait<E, R>(steps: Steps<E, R>, pending: Pending): Steps<never, IteratorResult<E | Pending, R>> {
  let value: unknown;
  try {
    value = yield pending;
  } catch (error) {
    return steps.throw(error);
  }
  return steps.next(value);
}

/**
 * Thrown into steps whose consumer has left. Not `return()`: if a `finally` waits, the level above would go on as if the steps it delegates
 * to had ended. Code that catches errors around a wait must pass this on.
 */
class ConsumerLeft extends Error {
  override readonly name = "Left";
}

const consumerLeft = new ConsumerLeft("Nobody follows any more.");

/** For a `catch` around waits: rethrows the error of a consumer that left, so that it is not taken for a failure. */
export function rethrowIfLeft(error: unknown): void {
  if (error === consumerLeft) throw error;
}

export function isConsumerLeft(error: unknown): error is Error {
  return error === consumerLeft;
}

/** Ends the steps where they are. Their `finally` blocks run; events they yield there are dropped. */
export function* closeSteps<E, R>(steps: Steps<E, R>): Steps<never, void> {
  try {
    let step = steps.throw(consumerLeft);
    while (step.done !== true) {
      if (step.value instanceof Pending) step = yield* passWait(steps, step.value);
      else step = steps.next();
    }
  } catch (error) {
    if (error !== consumerLeft) throw error;
  }
}

/** Yields the events of an async generator as steps. Asks nothing more of it once `signal` is aborted, and throws the reason. */
export function* stepsFromGenerator<E, R>(source: AsyncGenerator<E, R>, signal?: AbortSignal): Steps<E, R> {
  let isOver = false;
  try {
    for (;;) {
      signal?.throwIfAborted();
      const step = yield* waitFor(source.next());
      if (step.done === true) {
        isOver = true;
        return step.value;
      }
      yield step.value;
    }
  } finally {
    if (!isOver) yield* waitFor(source.return(undefined as never));
  }
}
