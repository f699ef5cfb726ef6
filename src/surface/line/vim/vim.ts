/**
 * Vim's keys at the prompt: insert and normal mode, with counts, operators, motions, objects and the dot. It runs before the other
 * key handling, which does not get the keys handled here.
 */
import { withoutUndefined } from "../../../lib/without-undefined.ts";
import type { Editor } from "../editor.ts";
import type { Key } from "../keys.ts";
import { clusterLeft, clusterRight, lineEnd, lineStart } from "../motion.ts";
import { clusters } from "../width.ts";
import { parseCommand, withCount, type Command } from "./command.ts";
import { Edits, lineRange, type TakenRange } from "./edits.ts";
import { Motions } from "./motions.ts";
import { firstNonBlank, nthLineStart, textObjectAt } from "./places.ts";

export interface VimOptions {
  editor: Editor;
  /** Returns whether keys go to the prompt: it is shown, and nothing is in its place. */
  isAtPrompt: () => boolean;
  /** Key sequences that end the insert mode like Esc, such as `jj`. */
  escapes?: readonly string[];
  /** Called when the mode changes. */
  changed?: (isNormal: boolean) => void;
}

/** A key without any further effect. */
const handledKey: Key = { type: "press", name: "vim" };
const maxRepeats = 100;
/** The longest sequence that ends the insert mode. */
const maxEscapeLength = 16;
/** Named keys that are also commands. */
const commandKeyNames: ReadonlyMap<string, string> = new Map([
  ["left", "h"],
  ["backspace", "h"],
  ["right", "l"],
  ["home", "0"],
  ["end", "$"],
  ["delete", "x"],
]);
/** Short forms of other commands. The count goes after the operator. */
const commandAliases: ReadonlyMap<string, readonly [operator: string, what: string]> = new Map([
  ["x", ["d", "l"]],
  ["X", ["d", "h"]],
  ["D", ["d", "$"]],
  ["s", ["c", "l"]],
  ["S", ["c", "c"]],
  ["C", ["c", "$"]],
  ["Y", ["y", "y"]],
]);

export class Vim {
  readonly #options: VimOptions;
  readonly #editor: Editor;
  readonly #edits: Edits;
  readonly #motions = new Motions();
  #isNormal = false;
  #pending = "";
  /** Where the insert mode started, the text at that time, and how often the insertion is repeated. */
  #insertion: { at: number; text: string; times: number } | undefined;
  /** The last change: its keys, and the text typed until the insert mode ended. */
  #last: { keys: string; inserted?: string } | undefined;
  #isRepeating = false;
  /** The end of the text typed in insert mode, key by key. */
  #typed = "";

  constructor(options: VimOptions) {
    this.#options = options;
    this.#editor = options.editor;
    this.#edits = new Edits(options.editor);
  }

  /** The label for the row under the prompt. */
  get label(): string {
    return this.#isNormal ? `-- NORMAL -- ${this.#pending}`.trimEnd() : "-- INSERT --";
  }

  /** Handles a key, and returns the keys left for the other handlers. */
  handle(key: Key): Key[] {
    const isAtPrompt = this.#options.isAtPrompt();
    // Text typed while no prompt is shown begins a new one, in insert mode.
    if (key.type === "text" && !isAtPrompt) this.#setMode(false);
    if (key.type === "text" && isAtPrompt)
      return this.#isNormal ? this.#commands(key.text) : this.#insertText(key.text);
    this.#typed = "";
    if (key.type !== "press") return [key];
    switch (key.name) {
      case "escape":
      case "ctrl+[":
        return isAtPrompt ? this.#escape(key) : [key];
      case "enter":
      case "ctrl+m":
      case "ctrl+c":
        this.#insertion = undefined;
        this.#setMode(false);
        return [key];
      default:
        return this.#isNormal && isAtPrompt ? this.#namedKey(key, commandKeyNames.get(key.name)) : [key];
    }
  }

  #escape(key: Key): Key[] {
    if (this.#isNormal && this.#pending === "") return [key];
    if (!this.#isNormal) this.#leaveInsert();
    this.#pending = "";
    return [handledKey];
  }

  #namedKey(key: Key, letter: string | undefined): Key[] {
    const isWithin = this.#pending !== "";
    if (letter !== undefined && !isWithin) return this.#commands(letter);
    this.#pending = "";
    return [isWithin ? handledKey : key];
  }

  #insertText(text: string): Key[] {
    const before = this.#typed;
    const typed = before + text;
    const found = this.#options.escapes?.find((keys) => keys !== "" && typed.endsWith(keys));
    this.#typed = typed.slice(-maxEscapeLength);
    if (found === undefined) return [{ type: "text", text }];
    const left = typed.slice(0, -found.length);
    // The part typed earlier is in the prompt already.
    const { cursor } = this.#editor;
    if (left.length < before.length) this.#editor.put(cursor - (before.length - left.length), cursor, "");
    else this.#editor.insert(left.slice(before.length));
    this.#leaveInsert();
    return [handledKey];
  }

  #commands(text: string): Key[] {
    const left: Key[] = [];
    const keys = clusters(text);
    for (const [at, key] of keys.entries()) {
      if (!this.#isNormal) return [...left, { type: "text", text: keys.slice(at).join("") }];
      left.push(...this.#command(key));
    }
    return left.length === 0 ? [handledKey] : left;
  }

  #command(key: string): Key[] {
    this.#clamp();
    const keys = this.#pending + key;
    const command = parseCommand(keys);
    this.#pending = command === "more" ? keys : "";
    if (command === "more") return [];
    const before = this.#editor.text;
    const left = this.#run(command);
    const isChange = this.#editor.text !== before || !this.#isNormal;
    if (isChange && !this.#isRepeating && command.what !== "u" && command.what !== ".") this.#last = { keys };
    if (this.#isNormal) this.#clamp();
    return left;
  }

  #run(command: Command): Key[] {
    const { operator, what, count } = command;
    const key = (name: string): Key => ({ type: "press", name });
    if (operator !== undefined) {
      const taken = this.#operatorRange(command);
      if (taken !== undefined) this.#edits.operate(operator, taken, taken.start);
      if (taken !== undefined && operator === "c") this.#insertAt(this.#editor.cursor);
      return [];
    }
    if (what === "/" || what === "?") return [key("ctrl+r")];
    if (what === "j" || what === "k")
      return Array.from({ length: Math.min(count, maxRepeats) }, () => key(what === "j" ? "down" : "up"));
    const { text, cursor } = this.#editor;
    const motion = this.#motions.resolve(command, text, cursor);
    if (motion === undefined) this.#edit(command);
    else this.#editor.moveTo(motion.takes === "line" ? firstNonBlank(text, motion.to) : motion.to);
    return [];
  }

  /** Returns the range that an operator takes. */
  #operatorRange({ operator, what, ...command }: Command): (TakenRange & { start: number }) | undefined {
    const { text, cursor } = this.#editor;
    if (what === operator) {
      const last = nthLineStart(text, command.count, cursor);
      // A count without a line below makes the command fail.
      return command.count > 1 && last === cursor ? undefined : { ...lineRange(text, cursor, last), start: cursor };
    }
    if (/^[ia]./su.test(what)) {
      const range = textObjectAt(text, cursor, what, command.count);
      return range === undefined ? undefined : { ...range, isLines: false, start: range.from };
    }
    const motion = this.#motions.resolve({ ...command, what }, text, cursor);
    if (motion === undefined) return undefined;
    const [from, to] = motion.to < cursor ? [motion.to, cursor] : [cursor, motion.to];
    if (motion.takes === "line") return { ...lineRange(text, from, to), start: from };
    const end = motion.takes === "on" ? clusterRight(text, to) : withoutFinalLineEnd(text, from, to, operator === "c");
    const words = what === "w" || what === "W" ? text.slice(from, end) : "";
    // A change keeps the blanks after the word, and any operator keeps the line end after the last word.
    const isTrimmed = /^\S/u.test(words) && (operator === "c" || /\n\s*$/u.test(words));
    const last = isTrimmed ? from + words.trimEnd().length : end;
    return { from, to: last, isLines: false, start: from };
  }

  /** Runs a command that is not a motion. */
  #edit({ what, count, hasCount }: Command): void {
    const editor = this.#editor;
    const { text, cursor } = editor;
    const [start, end] = [lineStart(text, cursor), lineEnd(text, cursor)];
    switch (what) {
      case "i":
        return this.#insertAt(cursor, count);
      case "I":
        return this.#insertAt(firstNonBlank(text, cursor), count);
      case "a":
        return this.#insertAt(Math.min(end, clusterRight(text, cursor)), count);
      case "A":
        return this.#insertAt(end, count);
      case "o":
        editor.put(end, end, "\n");
        return this.#insertAt(end + 1);
      case "O":
        editor.put(start, start, "\n");
        return this.#insertAt(start);
      case "p":
      case "P":
        return this.#edits.putBack(what, count);
      case "u":
        for (let left = Math.min(count, maxRepeats); left > 0; left -= 1) editor.do("undo");
        return undefined;
      case ".":
        return this.#repeat(hasCount ? count : undefined);
      case "~":
        return this.#edits.swapCase(count);
      case "J":
        return this.#edits.join(count);
      default:
        return this.#runAlias(what, count);
    }
  }

  #runAlias(what: string, count: number): void {
    const [operator, operand] = commandAliases.get(what) ?? [];
    if (what.length > 1 && what.startsWith("r")) this.#edits.replace(what.slice(1), count);
    const command = operator === undefined ? "more" : parseCommand(`${operator}${count}${operand}`);
    if (command !== "more") this.#run(command);
  }

  /** Repeats the last change. `count` replaces the count it was typed with. */
  #repeat(count: number | undefined): void {
    if (this.#last === undefined || this.#isRepeating) return;
    const last = count === undefined ? this.#last : { ...this.#last, keys: withCount(this.#last.keys, count) };
    this.#isRepeating = true;
    for (const key of clusters(last.keys)) this.#command(key);
    if (!this.#isNormal) {
      this.#editor.insert(last.inserted ?? "");
      this.#leaveInsert();
    }
    this.#isRepeating = false;
    this.#last = last;
  }

  /** Starts the insert mode. The typed text is inserted `times` times. */
  #insertAt(at: number, times = 1): void {
    this.#editor.moveTo(at);
    this.#insertion = { at, text: this.#editor.text, times: Math.min(times, maxRepeats) };
    this.#setMode(false);
  }

  #leaveInsert(): void {
    const insertion = this.#insertion;
    if (insertion !== undefined) {
      const { text: now, cursor: here } = this.#editor;
      // If anything but typing changed the text, it cannot be repeated.
      const typed = now.slice(insertion.at, Math.max(insertion.at, here));
      const isTyped = now === insertion.text.slice(0, insertion.at) + typed + insertion.text.slice(insertion.at);
      if (isTyped) this.#editor.insert(typed.repeat(insertion.times - 1));
      if (this.#last !== undefined && !this.#isRepeating)
        this.#last = { keys: this.#last.keys, ...withoutUndefined({ inserted: isTyped ? typed : undefined }) };
    }
    this.#insertion = undefined;
    this.#setMode(true);
    const { text, cursor } = this.#editor;
    this.#editor.moveTo(Math.max(lineStart(text, cursor), clusterLeft(text, cursor)));
  }

  #setMode(isNormal: boolean): void {
    this.#pending = "";
    this.#typed = "";
    if (isNormal === this.#isNormal) return;
    this.#isNormal = isNormal;
    if (!this.#isRepeating) this.#options.changed?.(isNormal);
  }

  /** Moves the cursor onto a character if the line has one. */
  #clamp(): void {
    const { text, cursor } = this.#editor;
    if (cursor === lineEnd(text, cursor) && cursor > lineStart(text, cursor))
      this.#editor.moveTo(clusterLeft(text, cursor));
  }
}

/** Excludes a final line end from the range; but if that is the whole range, only a change excludes it, and a deletion takes it. */
function withoutFinalLineEnd(text: string, from: number, to: number, isChanged: boolean): number {
  return to > from + (isChanged ? 0 : 1) && text[to - 1] === "\n" ? to - 1 : to;
}
