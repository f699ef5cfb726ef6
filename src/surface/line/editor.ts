/** Edits a text of one or more lines at its cursor, with readline's operations. */
import {
  blankLeft,
  clusterLeft,
  clusterRight,
  columnOf,
  lineDown,
  lineEnd,
  lineStart,
  lineUp,
  wordLeft,
  wordRight,
} from "./motion.ts";
import type { TextRange } from "./selection.ts";

export type Edit =
  | "left"
  | "right"
  | "wordLeft"
  | "wordRight"
  | "lineStart"
  | "lineEnd"
  | "eraseLeft"
  | "eraseRight"
  | "killWordLeft"
  | "killBlankLeft"
  | "killWordRight"
  | "killLineStart"
  | "killLineEnd"
  | "yank"
  | "yankOlder"
  | "undo"
  | "redo";

interface Snapshot {
  text: string;
  cursor: number;
  /** Which change it is from, counted from the first. */
  change: number;
}

const maxUndoSteps = 200;
const maxKilledTexts = 30;

type LastEdit = "typed" | "erased" | "killed" | "yanked" | "vertical" | undefined;

export class Editor {
  #text = "";
  #cursor = 0;
  /** Killed texts, the newest last. */
  readonly #killed: string[] = [];
  readonly #undo: Snapshot[] = [];
  readonly #redo: Snapshot[] = [];
  #changeCount = 0;
  #selection: TextRange | undefined;
  #last: LastEdit;
  /** Where the yanked text begins, and its index among the killed texts. */
  #yanked = { from: 0, index: 0 };
  #column = 0;

  get text(): string {
    return this.#text;
  }

  get cursor(): number {
    return this.#cursor;
  }

  /** The range that is shown as selected. A change of the text ends it. */
  get selection(): TextRange | undefined {
    return this.#selection;
  }

  get canRedo(): boolean {
    return this.#redo.length > 0;
  }

  /** Grows with each change that undo restores. */
  get changeCount(): number {
    return this.#changeCount;
  }

  select(range: TextRange | undefined): void {
    this.#selection = range;
  }

  /** Makes one undo step of the changes since `changeCount` was `since`. */
  joinChanges(since: number): void {
    const first = this.#undo.findIndex(({ change }) => change >= since);
    if (first !== -1) this.#undo.length = first + 1;
  }

  insert(text: string): void {
    if (text === "") return;
    // A word is undone as one step, together with the blanks before it.
    const isWord = this.#last === "typed" && !(/\s/u.test(text) && /\S$/u.test(this.#text.slice(0, this.#cursor)));
    if (!isWord || text.length > 64) this.#remember();
    this.#replace(this.#cursor, this.#cursor, text);
    this.#last = text.length > 64 ? undefined : "typed";
  }

  /** Replaces the text and puts the cursor at its end. Undo restores the previous text. */
  set(text: string, cursor = text.length): void {
    if (text !== this.#text) this.#remember();
    this.#restore(text, cursor);
  }

  /** Empties the text and the undo history. Killed texts can still be yanked. */
  clear(): void {
    this.#restore("", 0);
    this.#undo.length = 0;
    this.#redo.length = 0;
  }

  /** Moves to the line above or below. Returns false if there is none. */
  moveLine(direction: "up" | "down"): boolean {
    if (this.#last !== "vertical") this.#column = columnOf(this.#text, this.#cursor);
    const move = direction === "up" ? lineUp : lineDown;
    const to = move(this.#text, this.#cursor, this.#column);
    this.#last = to === undefined ? undefined : "vertical";
    if (to !== undefined) this.#cursor = to;
    return to !== undefined;
  }

  moveTo(at: number): void {
    this.#cursor = at;
    this.#last = undefined;
  }

  /** Moves to another place in the line. The next move to another line still has its old column. */
  moveInColumn(at: number): void {
    this.#cursor = at;
  }

  /** Moves to the end of the line. Moves to other lines then lead to their ends. */
  moveToLineEnds(at: number): void {
    this.#cursor = lineEnd(this.#text, at);
    this.#column = Infinity;
    this.#last = "vertical";
  }

  /** Replaces a range, and puts the cursor at the end of the new text or at `cursor`. */
  replace(from: number, to: number, text: string, cursor = from + text.length): void {
    if (from !== to || text !== "") this.#remember();
    this.#replace(from, to, text);
    this.moveTo(cursor);
  }

  do(edit: Edit): void {
    const at = this.#cursor;
    const text = this.#text;
    switch (edit) {
      case "left":
        return this.moveTo(clusterLeft(text, at));
      case "right":
        return this.moveTo(clusterRight(text, at));
      case "wordLeft":
        return this.moveTo(wordLeft(text, at));
      case "wordRight":
        return this.moveTo(wordRight(text, at));
      case "lineStart":
        return this.moveTo(lineStart(text, at));
      case "lineEnd":
        return this.moveTo(lineEnd(text, at));
      case "eraseLeft":
        return this.#erase(clusterLeft(text, at), at);
      case "eraseRight":
        return this.#erase(at, clusterRight(text, at));
      case "killWordLeft":
        return this.#kill(wordLeft(text, at), at);
      case "killBlankLeft":
        return this.#kill(blankLeft(text, at), at);
      case "killWordRight":
        return this.#kill(at, wordRight(text, at));
      case "killLineStart":
        return this.#kill(Math.min(lineStart(text, at), Math.max(0, at - 1)), at);
      case "killLineEnd":
        return this.#kill(at, Math.max(lineEnd(text, at), Math.min(text.length, at + 1)));
      case "yank":
        return this.#yank();
      case "yankOlder":
        return this.#yankOlder();
      case "undo":
        return this.#goBack(this.#undo, this.#redo);
      case "redo":
        return this.#goBack(this.#redo, this.#undo);
      default:
        edit satisfies never;
    }
  }

  #erase(from: number, to: number): void {
    if (from === to) return;
    if (this.#last !== "erased") this.#remember();
    this.#replace(from, to, "");
    this.#last = "erased";
  }

  /** Texts killed one after another are joined, so that they are yanked together. */
  #kill(from: number, to: number): void {
    if (from === to) return;
    this.#remember();
    const text = this.#text.slice(from, to);
    if (this.#last === "killed") {
      const before = this.#killed.pop() ?? "";
      this.#killed.push(from < this.#cursor ? text + before : before + text);
    } else {
      this.#killed.push(text);
      if (this.#killed.length > maxKilledTexts) this.#killed.shift();
    }
    this.#replace(from, to, "");
    this.#last = "killed";
  }

  #yank(): void {
    const text = this.#killed.at(-1);
    if (text === undefined) return;
    this.#remember();
    this.#yanked = { from: this.#cursor, index: this.#killed.length - 1 };
    this.#replace(this.#cursor, this.#cursor, text);
    this.#last = "yanked";
  }

  #yankOlder(): void {
    if (this.#last !== "yanked") return;
    const { from, index } = this.#yanked;
    const older = (index + this.#killed.length - 1) % this.#killed.length;
    this.#replace(from, this.#cursor, this.#killed[older] ?? "");
    this.#yanked = { from, index: older };
  }

  /** Restores the newest text of `from`. A later undo of that puts the cursor at the same place. */
  #goBack(from: Snapshot[], to: Snapshot[]): void {
    const before = from.pop();
    this.#last = undefined;
    if (before === undefined) return;
    to.push({ ...before, text: this.#text });
    this.#restore(before.text, Math.min(before.cursor, before.text.length));
  }

  #restore(text: string, cursor: number): void {
    this.#text = text;
    this.#cursor = cursor;
    this.#last = undefined;
    this.#selection = undefined;
  }

  #remember(): void {
    this.#redo.length = 0;
    this.#undo.push({ text: this.#text, cursor: this.#cursor, change: this.#changeCount });
    this.#changeCount += 1;
    if (this.#undo.length > maxUndoSteps) this.#undo.shift();
  }

  #replace(from: number, to: number, text: string): void {
    this.#text = this.#text.slice(0, from) + text + this.#text.slice(to);
    this.#cursor = from + text.length;
    this.#selection = undefined;
  }
}
