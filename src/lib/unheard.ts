/** Functions of the host's that are only told something: what they throw is nobody's to hear. */
import { isPromise } from "./steps.ts";

/** An answer that is to be no promise. Where it is one, nobody awaits it, and its rejection would end the process. */
export function atOnce<Answer>(answer: Answer): Answer {
  if (isPromise(answer)) answer.then(undefined, () => undefined);
  return answer;
}

/** Of one that answers a promise as well: its rejection, which nobody awaits, would end the process. */
export function unheard<Said extends unknown[]>(hear: (...said: Said) => unknown): (...said: Said) => void {
  return (...said) => void told(hear, said);
}

/** The same, at once. */
export function tell(what: () => unknown): void {
  unheard(what)();
}

async function told<Said extends unknown[]>(hear: (...said: Said) => unknown, said: Said): Promise<void> {
  try {
    await hear(...said);
  } catch {
    // Whom should it be told?
  }
}
