/** Ids that look like the API's and are the same in every run. */
import { digestKey, digestText } from "../wire/digest.ts";

export class Ids {
  readonly #seed: number;
  #count = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  next(prefix: string): string {
    this.#count++;
    const text = `${this.#seed}/${this.#count}`;
    return `${prefix}_01${digestKey(digestText(text))}${this.#count.toString(36).padStart(6, "0")}`;
  }

  /**
   * Ids of tool calls are derived from their conversation rather than from a counter: a restarted server must not issue an id that
   * the conversation already contains.
   */
  inConversation(prefixKey: string): (prefix: string) => string {
    let count = 0;
    return (prefix) => {
      count++;
      const text = `${this.#seed}/${prefixKey}/${count}`;
      return `${prefix}_01${digestKey(digestText(text))}${digestKey(digestText(`${text}/2`)).slice(0, 6)}`;
    };
  }
}
