/** A server's questions to the user during calls: once the last of the calls is cancelled, nobody needs the answer. */
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

  /** A question asked while no call runs is not withdrawn. */
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
