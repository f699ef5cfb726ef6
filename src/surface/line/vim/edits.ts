/** Vim's editing commands, and the register whose text they put back. */
import type { Editor } from "../editor.ts";
import { clusterLeft, clusterRight, lineEnd, lineStart } from "../motion.ts";
import { clusters } from "../width.ts";
import type { Operator } from "./command.ts";
import { firstNonBlank, type Range } from "./places.ts";

export interface TakenRange extends Range {
  isLines: boolean;
}

const shiftIndent = "  ";
const maxRepeats = 100;

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
    if (operator === "<" || operator === ">") return this.#shift(operator, from, to);
    const taken = text.slice(from, to);
    if (taken !== "" || isLines) this.#register = { text: taken, isLines };
    if (operator === "y") return editor.moveTo(start);
    if (operator === "c" || !isLines) return editor.put(from, to, "");
    // Delete the line end, too; for the last lines, the line end before them.
    const [first, end] = to < text.length ? [from, to + 1] : [Math.max(0, from - 1), to];
    editor.put(first, end, "");
    editor.moveTo(firstNonBlank(editor.text, Math.min(from, editor.text.length)));
  }

  #shift(operator: "<" | ">", from: number, to: number): void {
    const { text } = this.#editor;
    const [start, end] = [lineStart(text, from), lineEnd(text, to)];
    const moved = text
      .slice(start, end)
      .split("\n")
      .map((line) => {
        if (operator === "<") return line.replace(/^(?: {1,2}|\t)/u, "");
        return line === "" ? "" : shiftIndent + line;
      });
    this.#editor.put(start, end, moved.join("\n"));
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
      return what === "p" ? editor.put(at, at, `\n${lines}`, at + 1) : editor.put(at, at, `${lines}\n`, at);
    }
    const at = what === "P" ? cursor : Math.min(lineEnd(text, cursor), clusterRight(text, cursor));
    editor.put(at, at, taken.repeat(times));
    editor.moveTo(clusterLeft(editor.text, editor.cursor));
  }

  swapCase(count: number): void {
    const { text, cursor } = this.#editor;
    const to = Math.min(lineEnd(text, cursor), advance(text, cursor, count));
    const swapped = Array.from(text.slice(cursor, to), (each) => {
      const small = each.toLowerCase();
      return each === small ? each.toUpperCase() : small;
    });
    this.#editor.put(cursor, to, swapped.join(""));
  }

  /** Does nothing if the line has fewer characters. */
  replace(character: string, count: number): void {
    const { text, cursor } = this.#editor;
    const to = advance(text, cursor, count);
    if (to > lineEnd(text, cursor) || clusters(text.slice(cursor, to)).length < count) return;
    this.#editor.put(cursor, to, character.repeat(count), cursor + character.length * (count - 1));
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
      editor.put(end, next, between, end);
    }
  }
}

function advance(text: string, from: number, count: number): number {
  let at = from;
  for (let left = count; left > 0 && at < text.length; left -= 1) at = clusterRight(text, at);
  return at;
}
