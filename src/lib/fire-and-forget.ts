/** Calls functions of the host that are only notified: their errors are ignored. */
import { isPromise } from "./steps.ts";

/** Returns an answer that should not be a promise. If it is one, nobody awaits it, and its rejection would end the process. */
export function ignoreRejection<Answer>(answer: Answer): Answer {
  if (isPromise(answer)) answer.then(undefined, () => undefined);
  return answer;
}

/** Wraps a function that may return a promise: nobody awaits it, so its rejection would end the process. */
export function asFireAndForget<Args extends unknown[]>(callback: (...args: Args) => unknown): (...args: Args) => void {
  return (...args) => void callIgnoringErrors(callback, args);
}

/** The same, called at once. */
export function fireAndForget(action: () => unknown): void {
  asFireAndForget(action)();
}

async function callIgnoringErrors<Args extends unknown[]>(
  callback: (...args: Args) => unknown,
  args: Args,
): Promise<void> {
  try {
    await callback(...args);
  } catch {
    // There is nobody to report the error to.
  }
}
