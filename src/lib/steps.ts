/**
 * Work in plain generators: what they yield is either for the consumer or a promise to be waited for. One driver waits for all
 * levels; with an async generator for each, every event would cost promises at every level it passes.
 */

/** Yielded in place of an `await`; what it settles with comes back. */
export class Pending {
  readonly promise: PromiseLike<unknown>;
  /** Under which name and for how long (ms) it may be waited for; undefined: as the whole. */
  readonly about?: { name: string; limitMs: number } | undefined;

  constructor(promise: PromiseLike<unknown>, about?: { name: string; limitMs: number }) {
    this.promise = promise;
    this.about = about;
  }
}

/** Tells `E` on its way to `R`. Delegates to steps only: a list is told with a loop, since nothing can be thrown into one. */
export type Steps<E, R> = Generator<E | Pending, R, unknown>;

/** Whether an answer that may come at once has yet to come. */
export function isPromise<T>(answer: T | PromiseLike<T>): answer is PromiseLike<T> {
  return typeof answer === "object" && answer !== null && "then" in answer && typeof answer.then === "function";
}

/** `yield* waitFor(promise)` is what `await promise` is elsewhere. */
export function* waitFor<T>(promise: PromiseLike<T>, about?: Pending["about"]): Steps<never, T> {
  return (yield new Pending(promise, about)) as T;
}

/** Told of each event before the consumer has it, and once they ask for more. */
interface Handing<E> {
  giving(event: E): void;
  taken(): void;
}

/** The steps as an async generator. A consumer that leaves closes them, and that is waited for. */
export async function* driven<E, R>(steps: Steps<E, R>, handing?: Handing<E>): AsyncGenerator<E, R> {
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
        handing?.giving(step.value);
        yield step.value;
        handing?.taken();
      }
      step = steps.next(value);
    }
  } finally {
    await completed(closed(steps));
  }
}

/** Runs steps that have nothing to tell to their end. */
export async function completed<R>(steps: Steps<never, R>): Promise<R> {
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

/** The same steps with each event as `show` makes it; null shows nothing. */
export function* shownAs<E, F, R>(steps: Steps<E, R>, show: (event: E) => F | null): Steps<F, R> {
  try {
    let step = steps.next();
    for (;;) {
      if (step.done === true) return step.value;
      let value: unknown;
      if (step.value instanceof Pending) {
        // As in `awaited`, without a generator for each wait: all of a run passes here.
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
    yield* closed(steps);
  }
}

/** The same steps with what `pass` makes of each event in its place. */
export function* passedThrough<E, F, R>(steps: Steps<E, R>, pass: (event: E) => Steps<F, void>): Steps<F, R> {
  try {
    let step = steps.next();
    for (;;) {
      if (step.done === true) return step.value;
      if (step.value instanceof Pending) step = yield* awaited(steps, step.value);
      else {
        yield* pass(step.value);
        step = steps.next();
      }
    }
  } finally {
    yield* closed(steps);
  }
}

/** Passes a wait on, and its outcome back. */
function* awaited<E, R>(steps: Steps<E, R>, pending: Pending): Steps<never, IteratorResult<E | Pending, R>> {
  let value: unknown;
  try {
    value = yield pending;
  } catch (error) {
    return steps.throw(error);
  }
  return steps.next(value);
}

/**
 * Thrown into steps that nobody follows any more. Not `return()`: where a `finally` waits, the level above would go on as if what
 * it delegates to had come to its end. Whoever catches what waits under it may throw passes this on.
 */
class Left extends Error {
  override readonly name = "Left";
}

const left = new Left("Nobody follows any more.");

/** For a `catch` around waits: throws what says that nobody follows any more, so that it is taken for no failure. */
export function passLeft(error: unknown): void {
  if (error === left) throw error;
}

export function isLeft(error: unknown): error is Error {
  return error === left;
}

/** Leaves the steps where they are; what they do on the way out is done, what they tell there nobody hears. */
export function* closed<E, R>(steps: Steps<E, R>): Steps<never, void> {
  try {
    let step = steps.throw(left);
    while (step.done !== true) {
      if (step.value instanceof Pending) step = yield* awaited(steps, step.value);
      else step = steps.next();
    }
  } catch (error) {
    if (error !== left) throw error;
  }
}

/** An async generator among steps. */
export function* passedOn<E, R>(source: AsyncGenerator<E, R>): Steps<E, R> {
  let isOver = false;
  try {
    for (;;) {
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
