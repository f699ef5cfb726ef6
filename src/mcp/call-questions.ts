/** A server's questions to the user during calls: once the last of the calls is cancelled, nobody needs the answer. */
import type { Client } from "@modelcontextprotocol/client";

export class CallQuestions {
  #calls = 0;
  readonly #openQuestions = new Set<AbortController>();

  async trackCall<T>(signal: AbortSignal, call: Promise<T>): Promise<T> {
    this.#calls += 1;
    try {
      return await call;
    } finally {
      this.#calls -= 1;
      if (signal.aborted && this.#calls === 0) for (const each of this.#openQuestions) each.abort(signal.reason);
    }
  }

  /** A question asked while no call runs is not withdrawn. */
  async ask<T>(signal: AbortSignal, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#calls === 0) return await ask(signal);
    const own = new AbortController();
    this.#openQuestions.add(own);
    try {
      return await ask(AbortSignal.any([signal, own.signal]));
    } finally {
      this.#openQuestions.delete(own);
    }
  }
}

const questionsByClient = new WeakMap<Client, CallQuestions>();

export function questionsOf(client: Client): CallQuestions {
  const questions = questionsByClient.get(client) ?? new CallQuestions();
  questionsByClient.set(client, questions);
  return questions;
}
