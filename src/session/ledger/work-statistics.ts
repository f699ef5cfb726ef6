/** Figures about the work of a session and its agents. Counts this process only: a resumed or cleared session starts at zero. */
import { isRecord } from "../../lib/is-record.ts";
import { changedLines, splitLines } from "../../lib/changed-lines.ts";

export class WorkStatistics {
  /** Sum over all model calls, including those that ran side by side. */
  apiMs = 0;
  linesAdded = 0;
  linesRemoved = 0;
  readonly #elapsed: () => number;
  readonly #startedAt: number;

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
    this.#startedAt = elapsed();
  }

  /** In ms. */
  get durationMs(): number {
    return Math.round(this.now() - this.#startedAt);
  }

  now(): number {
    return this.#elapsed();
  }

  /** Called when a model call that began at `from` has ended. */
  addModelCall(from: number): void {
    this.apiMs += Math.max(0, this.now() - from);
  }

  /** Called when a file was changed, with the output of Edit, Write or NotebookEdit. A file too large to compare counts no lines. */
  addWrittenFile(output: unknown): void {
    if (!isRecord(output)) return;
    const { structuredPatch: hunks, type, content, original_file: before, updated_file: after } = output;
    if (type === "create" && typeof content === "string") this.linesAdded += splitLines(content).length;
    else if (Array.isArray(hunks)) for (const hunk of hunks) this.#count(isRecord(hunk) ? hunk["lines"] : undefined);
    else if (typeof before === "string" && typeof after === "string") this.#countDifference(before, after);
  }

  #count(lines: unknown): void {
    for (const line of Array.isArray(lines) ? (lines as unknown[]) : []) {
      if (typeof line !== "string") continue;
      if (line.startsWith("+")) this.linesAdded += 1;
      else if (line.startsWith("-")) this.linesRemoved += 1;
    }
  }

  #countDifference(oldText: string, newText: string): void {
    const { removed, added } = changedLines(splitLines(oldText), splitLines(newText));
    this.linesAdded += added.length;
    this.linesRemoved += removed.length;
  }
}
