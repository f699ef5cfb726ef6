/** Tracks code fences while the lines of a text are read one by one. */

const fence = /^(?<before>[ \t]*)(?<marks>(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(?<mark>`{3,}(?=[^`]*$)|~{3,})(?<info>.*)$/u;

export class CodeFences {
  /** A fence indented by more blanks does not count. */
  readonly #maxIndent: number;
  #open: { mark: string; isInList: boolean } | undefined;

  constructor(maxIndent: number) {
    this.#maxIndent = maxIndent;
  }

  /** Whether the next line is code, or a fence that begins or ends it. */
  isCode(line: string): boolean {
    const { before = "", marks = "", mark, info = "" } = fence.exec(line)?.groups ?? {};
    const open = this.#open;
    if (open === undefined) {
      if (mark === undefined || widthOf(before) > this.#maxIndent) return false;
      this.#open = { mark, isInList: marks !== "" };
      return true;
    }
    const mayEnd = marks === "" && info.trim() === "" && (open.isInList || widthOf(before) <= this.#maxIndent);
    if (mayEnd && mark?.startsWith(open.mark) === true) this.#open = undefined;
    else if (open.isInList && /^\S/u.test(line)) {
      // A fence that begins after a list marker ends with the list item.
      this.#open = undefined;
      return this.isCode(line);
    }
    return true;
  }
}

export function widthOf(blanks: string): number {
  return blanks.replaceAll("\t", "    ").length;
}
