/** Vim's visual mode: a selection between two places, which motions and objects change and operators take. */
import type { Editor } from "../editor.ts";
import { clusterRight, columnOf, lineEnd, lineStart, placeInLine } from "../motion.ts";
import { clusters } from "../width.ts";
import type { CaseOperator, Command, Operator } from "./command.ts";
import { lineRange, maxRepeats, type Edits, type TakenRange } from "./edits.ts";
import type { Motions } from "./motions.ts";
import { selectObject } from "./object-selection.ts";
import { nthLineStart } from "./places.ts";

/** `v` selects characters, `V` lines. */
export type VisualKind = "v" | "V";

/** How much is selected, so that the dot can take as much from another place. */
export interface VisualSize {
  kind: VisualKind;
  lines: number;
  /** The characters of the selection; in several lines, those of the last line. */
  columns: number;
}

/** The operator that each key stands for. With the capital letters it takes whole lines. */
const operators: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ["d", "d"],
  ["x", "d"],
  ["y", "y"],
  ["c", "c"],
  ["s", "c"],
  ["D", "d"],
  ["X", "d"],
  ["Y", "y"],
  ["C", "c"],
  ["S", "c"],
  ["R", "c"],
]);

const caseOperators: ReadonlyMap<string, CaseOperator> = new Map<string, CaseOperator>([
  ["~", "g~"],
  ["u", "gu"],
  ["U", "gU"],
  ["g~", "g~"],
  ["gu", "gu"],
  ["gU", "gU"],
]);

/** Counted from line 1 and column 0. Unlike an index into the text, it still names the same line after lines above were indented. */
interface LineColumn {
  line: number;
  column: number;
}

interface Ends {
  kind: VisualKind;
  anchor: LineColumn;
  cursor: LineColumn;
}

export class Visual {
  readonly #editor: Editor;
  readonly #edits: Edits;
  readonly #motions: Motions;
  #kind: VisualKind = "v";
  /** The end of the selection that does not move. */
  #anchor = 0;
  /** The selection that ended last. */
  #previous: Ends | undefined;

  constructor(editor: Editor, edits: Edits, motions: Motions) {
    this.#editor = editor;
    this.#edits = edits;
    this.#motions = motions;
  }

  /** Undefined outside of visual mode, which a change of the text ends. */
  get kind(): VisualKind | undefined {
    return this.#editor.selection === undefined ? undefined : this.#kind;
  }

  get size(): VisualSize | undefined {
    if (this.kind === undefined) return undefined;
    const { text, cursor } = this.#editor;
    const [first, last] = [Math.min(this.#anchor, cursor), Math.max(this.#anchor, cursor)];
    const lines = text.slice(first, last).split("\n").length;
    const isToLineEnd = last > first && last === lineEnd(text, last);
    const columns = isToLineEnd ? Infinity : columnOf(text, last) + 1 - (lines === 1 ? columnOf(text, first) : 0);
    return { kind: this.#kind, lines, columns };
  }

  begin(kind: VisualKind): void {
    this.#kind = kind;
    this.#anchor = this.#editor.cursor;
    this.#show();
  }

  /** Selects as much as before from the cursor on. */
  beginAgain({ kind, lines, columns }: VisualSize): void {
    this.begin(kind);
    const { text, cursor } = this.#editor;
    const start = lines === 1 ? cursor : lineStart(text, nthLineStart(text, lines, cursor));
    const before = clusters(text.slice(start, lineEnd(text, start))).slice(0, columns - 1);
    this.#editor.moveTo(start + before.join("").length);
    this.#show();
  }

  /** Selects again what was selected last, and makes the selection that it replaces the last one. */
  beginPrevious(): void {
    const previous = this.#previous;
    if (previous === undefined) return;
    if (this.kind !== undefined) this.#previous = this.#ends;
    const { text } = this.#editor;
    this.#kind = previous.kind;
    this.#anchor = indexOf(text, previous.anchor);
    this.#editor.moveTo(indexOf(text, previous.cursor));
    this.#show();
  }

  end(): void {
    if (this.kind !== undefined) this.#previous = this.#ends;
    this.#editor.select(undefined);
  }

  /** Deletes what is selected, but keeps the line of selected lines. */
  erase(): void {
    const { from, to } = this.#range;
    this.end();
    this.#editor.moveTo(from);
    this.#editor.replace(from, to, "");
  }

  /** Runs a command. Returns whether the insert mode starts. */
  run(command: Command): boolean {
    const before = this.#ends;
    const startsInsert = this.#run(command);
    if (this.kind === undefined) this.#previous = before;
    return startsInsert;
  }

  #run(command: Command): boolean {
    const { what, count } = command;
    if (what === "gv") {
      this.beginPrevious();
      return false;
    }
    const operator = operators.get(what);
    if (operator !== undefined) {
      const range = /[A-Z]/u.test(what) ? this.#lines : this.#range;
      const start = this.#startOf(range);
      this.end();
      this.#edits.operate(operator, range, start);
      return operator === "c";
    }
    if (!this.#edit(what, count)) this.#select(command);
    return false;
  }

  get #ends(): Ends {
    const { text, cursor } = this.#editor;
    return { kind: this.#kind, anchor: lineColumnOf(text, this.#anchor), cursor: lineColumnOf(text, cursor) };
  }

  get #first(): number {
    return Math.min(this.#anchor, this.#editor.cursor);
  }

  /** Where the cursor goes. It stays in the first of the lines if they were selected upward. */
  #startOf({ from }: TakenRange): number {
    const { text, cursor } = this.#editor;
    return lineStart(text, cursor) < lineStart(text, this.#anchor) ? cursor : from;
  }

  /** What is selected. */
  get #range(): TakenRange {
    if (this.#kind === "V") return this.#lines;
    const { text, cursor } = this.#editor;
    return { from: this.#first, to: clusterRight(text, Math.max(this.#anchor, cursor)), isLines: false };
  }

  get #lines(): TakenRange {
    const { text, cursor } = this.#editor;
    return lineRange(text, this.#first, Math.max(this.#anchor, cursor));
  }

  /** Runs a command that changes the text. Returns whether it was one. */
  #edit(what: string, count: number): boolean {
    const [edits, range, lines] = [this.#edits, this.#range, this.#lines];
    const times = Math.min(count, maxRepeats);
    const caseOperator = caseOperators.get(what);
    if (caseOperator !== undefined) {
      this.#editor.moveTo(this.#startOf(range));
      edits.changeCase(caseOperator, range);
      this.end();
      return true;
    }
    switch (what) {
      case "<":
      case ">":
        edits.shift(what, lines, times);
        break;
      case "J":
        this.#editor.moveTo(range.from);
        edits.joinLines(lines);
        break;
      case "p":
      case "P":
        edits.putOver(what, range, times);
        break;
      default:
        if (what.length < 2 || !what.startsWith("r")) return false;
        this.#editor.moveTo(range.from);
        edits.replaceAll(what.slice(1), range);
    }
    this.end();
    return true;
  }

  /** Changes the selection. */
  #select(command: Command): void {
    const { what, count } = command;
    const editor = this.#editor;
    const { text, cursor } = editor;
    if (what === "v" || what === "V") {
      if (what === this.#kind) return this.end();
      this.#kind = what;
    } else if (what === "o" || what === "O") {
      editor.moveTo(this.#anchor);
      this.#anchor = cursor;
    } else if (what === "j" || what === "k") {
      // A failing move would forget the column.
      const most = (what === "j" ? text.slice(cursor) : text.slice(0, cursor)).split("\n").length - 1;
      for (let left = Math.min(count, most); left > 0; left -= 1) editor.moveLine(what === "j" ? "down" : "up");
    } else if (/^[ia]./su.test(what)) this.#selectObject(what, count);
    else {
      const motion = this.#motions.resolve(command, text, cursor);
      if (what === "$" && motion !== undefined) editor.moveToLineEnds(motion.to);
      else if (motion !== undefined) editor.moveTo(motion.to);
    }
    this.#show();
  }

  #selectObject(name: string, count: number): void {
    const { text, cursor } = this.#editor;
    const selected = selectObject(text, { anchor: this.#anchor, cursor, isLines: this.#kind === "V" }, name, count);
    if (selected === undefined) return;
    this.#anchor = selected.anchor;
    this.#editor.moveTo(selected.cursor);
    this.#kind = selected.isLines ? "V" : "v";
  }

  #show(): void {
    const { text } = this.#editor;
    const { from, to, isLines } = this.#range;
    // The line end of the last line belongs to selected lines.
    this.#editor.select({ from, to: isLines ? Math.min(text.length, to + 1) : to });
  }
}

function lineColumnOf(text: string, at: number): LineColumn {
  return { line: text.slice(0, at).split("\n").length, column: columnOf(text, at) };
}

function indexOf(text: string, { line, column }: LineColumn): number {
  return placeInLine(text, nthLineStart(text, line), column);
}
