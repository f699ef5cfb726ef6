// Hashes what happens in a run, in order: two runs of a seed are the same if their hashes are equal.
import { createHash } from "node:crypto";

export class Trace {
  readonly lines: string[] | null;
  readonly #hash = createHash("sha1");
  #count = 0;

  /** `keep`: keeps the lines too, to show them to people. */
  constructor(keep: boolean) {
    this.lines = keep ? [] : null;
  }

  /** `more` is hashed whole and shown shortened. */
  add(line: string, more = ""): void {
    this.#count++;
    this.#hash.update(line).update("\n").update(more);
    this.lines?.push(more === "" ? line : `${line} ${more.length > 600 ? `${more.slice(0, 600)}…` : more}`);
  }

  end(): string {
    return `${this.#hash.digest("hex").slice(0, 16)}-${this.#count}`;
  }
}
