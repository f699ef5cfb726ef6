/** What a session and its agents have done, in figures. Of this process: one that is resumed counts anew, as does one that is cleared. */
import { isRecord } from "../../lib/is-record.ts";
import { changedPart, linesIn } from "./changed-lines.ts";

export class Work {
  /** Of all calls of a model together, those that ran side by side included. */
  apiMs = 0;
  linesAdded = 0;
  linesRemoved = 0;
  readonly #elapsed: () => number;
  readonly #from: number;

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
    this.#from = elapsed();
  }

  /** ms. */
  get durationMs(): number {
    return Math.round(this.now() - this.#from);
  }

  now(): number {
    return this.#elapsed();
  }

  /** A call of a model that began at this moment has ended. */
  called(from: number): void {
    this.apiMs += Math.max(0, this.now() - from);
  }

  /** A file was changed: the output of Edit, Write or NotebookEdit. One that is too large to be compared counts no lines. */
  wrote(output: unknown): void {
    if (!isRecord(output)) return;
    const { structuredPatch: hunks, type, content, original_file: before, updated_file: after } = output;
    if (type === "create" && typeof content === "string") this.linesAdded += linesIn(content).length;
    else if (Array.isArray(hunks)) for (const hunk of hunks) this.#count(isRecord(hunk) ? hunk["lines"] : undefined);
    else if (typeof before === "string" && typeof after === "string") this.#compare(before, after);
  }

  #count(lines: unknown): void {
    for (const line of Array.isArray(lines) ? (lines as unknown[]) : []) {
      if (typeof line !== "string") continue;
      if (line.startsWith("+")) this.linesAdded += 1;
      else if (line.startsWith("-")) this.linesRemoved += 1;
    }
  }

  #compare(old: string, young: string): void {
    const { removed, added } = changedPart(linesIn(old), linesIn(young));
    this.linesAdded += added.length;
    this.linesRemoved += removed.length;
  }
}
