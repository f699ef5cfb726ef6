/** Adds news from outside to steps: told before the next event of the steps, and while the steps wait. */
import { rung, type Doorbell } from "./doorbell.ts";
import { closeSteps, isConsumerLeft, Pending, waitFor, type Steps } from "./steps.ts";

export interface News<E> {
  /** Returns the events that are new, each only once. */
  take(): E[];
  /** Rings when there is news. */
  readonly bell: Doorbell;
}

/** The same news, but none before `isDue`. */
export function delayNews<E>(news: News<E>, isDue: () => boolean): News<E> {
  return { take: () => (isDue() ? news.take() : []), bell: news.bell };
}

/**
 * News after the last event of the steps is left for the next caller. `onLeave`: the consumer has left, perhaps in the middle of a wait,
 * which continues until it is told to end.
 */
export function* withNews<E, R>(steps: Steps<E, R>, news: News<E>, onLeave: () => void): Steps<E, R> {
  try {
    let step = steps.next();
    for (;;) {
      if (step.done === true) return step.value;
      if (step.value instanceof Pending) step = yield* waitWithNews(steps, step.value, news);
      else {
        for (const event of news.take()) yield event;
        yield step.value;
        step = steps.next();
      }
    }
  } catch (error) {
    if (isConsumerLeft(error)) onLeave();
    throw error;
  } finally {
    yield* closeSteps(steps);
  }
}

function* waitWithNews<E, R>(
  steps: Steps<E, R>,
  { promise }: Pending,
  news: News<E>,
): Steps<E, IteratorResult<E | Pending, R>> {
  // Wrapped, because the awaited value may itself be a ring of an inner bell, and nobody listens to `settled` while news is told.
  const settled = Promise.resolve(promise).then(
    (value): Outcome => ({ value }),
    (error: unknown): Outcome => ({ error }),
  );
  let outcome: Outcome | typeof rung;
  do {
    outcome = yield* waitFor(news.bell.wait(settled));
    for (const event of news.take()) yield event;
  } while (outcome === rung);
  return "error" in outcome ? steps.throw(outcome.error) : steps.next(outcome.value);
}

type Outcome = { value: unknown } | { error: unknown };
