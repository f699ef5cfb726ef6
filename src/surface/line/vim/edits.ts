/** Vim's editing commands, and the register whose text they put back. */
import type { Editor } from "../editor.ts";
import { clusterLeft, clusterRight, lineEnd, lineStart } from "../motion.ts";
import { clusters } from "../width.ts";
import { isCaseOperator, type CaseOperator, type Operator } from "./command.ts";
import { firstNonBlank, type Range } from "./places.ts";

export interface TakenRange extends Range {
  isLines: boolean;
}

const shiftIndent = "  ";
/** A count repeats a change at most that often. */
export const maxRepeats = 100;

/** Returns the lines from the one of `from` to the one of `to`. */
export function lineRange(text: string, from: number, to: number): TakenRange {
  return { from: lineStart(text, from), to: lineEnd(text, to), isLines: true };
}

export class Edits {
  readonly #editor: Editor;
  #register = { text: "", isLines: false };

  constructor(editor: Editor) {
    this.#editor = editor;
  }

  /** Applies an operator. `start` is where the cursor goes after a copy. */
  operate(operator: Operator, { from, to, isLines }: TakenRange, start: number): void {
    const editor = this.#editor;
    const { text } = editor;
    if (operator === "<" || operator === ">") return this.shift(operator, { from, to });
    if (isCaseOperator(operator)) {
      editor.moveTo(start);
      return this.changeCase(operator, { from, to });
    }
    const taken = text.slice(from, to);
    if (taken !== "" || (isLines && text !== "")) this.#register = { text: taken, isLines };
    editor.moveTo(start);
    if (operator === "y") return undefined;
    if (operator === "c" || !isLines) return editor.replace(from, to, "");
    // Delete the line end, too; for the last lines, the line end before them.
    const [first, end] = to < text.length ? [from, to + 1] : [Math.max(0, from - 1), to];
    editor.replace(first, end, "");
    editor.moveTo(firstNonBlank(editor.text, Math.min(from, editor.text.length)));
  }

  /** Indents the lines of a range, or takes an indent away. */
  shift(operator: "<" | ">", { from, to }: Range, times = 1): void {
    const { text } = this.#editor;
    const [start, end] = [lineStart(text, from), lineEnd(text, to)];
    const indent = new RegExp(`^(?: {1,2}|\\t){1,${times}}`, "u");
    const moved = text
      .slice(start, end)
      .split("\n")
      .map((line) => {
        if (operator === "<") return line.replace(indent, "");
        return line === "" ? "" : shiftIndent.repeat(times) + line;
      });
    this.#editor.moveTo(start);
    this.#editor.replace(start, end, moved.join("\n"));
    this.#editor.moveTo(firstNonBlank(this.#editor.text, start));
  }

  /** `p` puts text after the cursor and lines below its line; `P` before and above. */
  putBack(what: "p" | "P", count: number): void {
    const { text: taken, isLines } = this.#register;
    const editor = this.#editor;
    const { text, cursor } = editor;
    if (taken === "" && !isLines) return;
    const times = Math.min(count, maxRepeats);
    if (isLines) {
      const lines = Array.from({ length: times }, () => taken).join("\n");
      const at = what === "p" ? lineEnd(text, cursor) : lineStart(text, cursor);
      if (what === "p") editor.replace(at, at, `\n${lines}`, at + 1);
      else editor.replace(at, at, `${lines}\n`, at);
      return editor.moveTo(firstNonBlank(editor.text, editor.cursor));
    }
    const at = what === "P" ? cursor : Math.min(lineEnd(text, cursor), clusterRight(text, cursor));
    editor.replace(at, at, taken.repeat(times));
    // The cursor goes to the end of a text within a line, but to the start of several lines.
    editor.moveTo(taken.includes("\n") ? at : clusterLeft(editor.text, editor.cursor));
  }

  /** Replaces a range with the register. `p` then puts what was replaced into the register; `P` leaves it alone. */
  putOver(what: "p" | "P", { from, to, isLines }: TakenRange, count: number): void {
    const editor = this.#editor;
    const { text, isLines: putsLines } = this.#register;
    const taken = editor.text.slice(from, to);
    const repeated = Array.from({ length: count }, () => text).join(isLines || putsLines ? "\n" : "");
    const apart = putsLines && !isLines ? "\n" : "";
    editor.replace(from, to, apart + repeated + apart, from + apart.length);
    if (putsLines || isLines) editor.moveTo(firstNonBlank(editor.text, editor.cursor));
    else if (!text.includes("\n")) editor.moveTo(Math.max(from, clusterLeft(editor.text, from + repeated.length)));
    if (what === "p") this.#register = { text: taken, isLines };
  }

  /** Swaps the case of the next characters in the line. */
  swapCase(count: number): void {
    const { text, cursor } = this.#editor;
    const to = Math.min(lineEnd(text, cursor), advance(text, cursor, count));
    this.changeCase("g~", { from: cursor, to });
    this.#editor.moveTo(to);
  }

  /** Swaps the case of a range, or makes it small or capital letters. */
  changeCase(how: CaseOperator, { from, to }: Range): void {
    const changed = Array.from(this.#editor.text.slice(from, to), (each) => {
      const small = each.toLowerCase();
      return how === "gu" || (how === "g~" && each !== small) ? small : each.toUpperCase();
    });
    this.#editor.replace(from, to, changed.join(""), this.#editor.cursor);
  }

  /** Replaces each character of a range except line ends. */
  replaceAll(character: string, { from, to }: Range): void {
    const replaced = clusters(this.#editor.text.slice(from, to)).map((each) => (each === "\n" ? each : character));
    this.#editor.replace(from, to, replaced.join(""), from);
  }

  /** Does nothing if the line has fewer characters. */
  replace(character: string, count: number): void {
    const { text, cursor } = this.#editor;
    const to = advance(text, cursor, count);
    if (to > lineEnd(text, cursor) || clusters(text.slice(cursor, to)).length < count) return;
    this.#editor.replace(cursor, to, character.repeat(count), cursor + character.length * (count - 1));
  }

  /** Joins the lines of a range, or a single line with the next one. */
  joinLines({ from, to }: Range): void {
    const { text } = this.#editor;
    this.join(text.slice(from, to).split("\n").length);
  }

  /** Joins `count` lines, at least two. */
  join(count: number): void {
    const editor = this.#editor;
    for (let left = Math.min(maxRepeats, Math.max(1, count - 1)); left > 0; left -= 1) {
      const { text, cursor } = editor;
      const end = lineEnd(text, cursor);
      if (end === text.length) return;
      const next = firstNonBlank(text, end + 1);
      const isApart =
        end > lineStart(text, cursor) && /[^ \t]/u.test(text.charAt(end - 1)) && next < lineEnd(text, next);
      const between = isApart && text[next] !== ")" ? " " : "";
      editor.replace(end, next, between, end);
    }
  }
}

function advance(text: string, from: number, count: number): number {
  let at = from;
  for (let left = count; left > 0 && at < text.length; left -= 1) at = clusterRight(text, at);
  return at;
}
