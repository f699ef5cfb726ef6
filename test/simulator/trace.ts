// What happened in a run, in order, as a hash: two runs of one seed are the same run where their hashes are equal.
import { createHash } from "node:crypto";

export class Trace {
  readonly lines: string[] | null;
  readonly #hash = createHash("sha1");
  #count = 0;

  /** `keep`: the lines too, for people. */
  constructor(keep: boolean) {
    this.lines = keep ? [] : null;
  }

  /** `more` is hashed, and shown cut. */
  add(line: string, more = ""): void {
    this.#count++;
    this.#hash.update(line).update("\n").update(more);
    this.lines?.push(more === "" ? line : `${line} ${more.length > 600 ? `${more.slice(0, 600)}…` : more}`);
  }

  end(): string {
    return `${this.#hash.digest("hex").slice(0, 16)}-${this.#count}`;
  }
}
