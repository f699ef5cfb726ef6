/** Calls functions of the host that are only notified: their errors are ignored. */
import { isPromise } from "./steps.ts";

/** Returns an answer that should not be a promise. If it is one, nobody awaits it, and its rejection would end the process. */
export function ignoreRejection<Answer>(answer: Answer): Answer {
  if (isPromise(answer)) answer.then(undefined, () => undefined);
  return answer;
}

/** Wraps a function that may return a promise: nobody awaits it, so its rejection would end the process. */
export function asFireAndForget<Said extends unknown[]>(hear: (...said: Said) => unknown): (...said: Said) => void {
  return (...said) => void callIgnoringErrors(hear, said);
}

/** The same, called at once. */
export function fireAndForget(what: () => unknown): void {
  asFireAndForget(what)();
}

async function callIgnoringErrors<Said extends unknown[]>(hear: (...said: Said) => unknown, said: Said): Promise<void> {
  try {
    await hear(...said);
  } catch {
    // There is nobody to report the error to.
  }
}
