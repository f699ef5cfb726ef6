/** What a server asks its user while it is called: once the last of these calls is cancelled, nobody needs the answer. */
import type { Client } from "@modelcontextprotocol/client";

export class CallQuestions {
  #calls = 0;
  readonly #open = new Set<AbortController>();

  async during<T>(signal: AbortSignal, call: Promise<T>): Promise<T> {
    this.#calls += 1;
    try {
      return await call;
    } finally {
      this.#calls -= 1;
      if (signal.aborted && this.#calls === 0) for (const each of this.#open) each.abort(signal.reason);
    }
  }

  /** One that is asked beside the calls stays. */
  async put<T>(signal: AbortSignal, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#calls === 0) return await ask(signal);
    const own = new AbortController();
    this.#open.add(own);
    try {
      return await ask(AbortSignal.any([signal, own.signal]));
    } finally {
      this.#open.delete(own);
    }
  }
}

const known = new WeakMap<Client, CallQuestions>();

export function questionsOf(client: Client): CallQuestions {
  const questions = known.get(client) ?? new CallQuestions();
  known.set(client, questions);
  return questions;
}
