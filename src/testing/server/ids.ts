/** Ids that look like the API's and repeat from run to run. */
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
}
