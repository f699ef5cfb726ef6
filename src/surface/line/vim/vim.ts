/**
 * Vim's keys at the prompt: insert, normal and visual mode, with counts, operators, motions, objects and the dot. It runs before the
 * other key handling, which does not get the keys handled here.
 */
import { withoutUndefined } from "../../../lib/without-undefined.ts";
import type { Editor } from "../editor.ts";
import type { Key } from "../keys.ts";
import type { VimMode } from "../keyboard-options.ts";
import { clusterLeft, clusterRight, lineEnd, lineStart } from "../motion.ts";
import { clusters } from "../width.ts";
import { parseCommand, parseVisualCommand, redoKey, withCount, type Command } from "./command.ts";
import { Edits, maxRepeats } from "./edits.ts";
import { Motions } from "./motions.ts";
import { NormalCommands } from "./normal-commands.ts";
import { Visual, type VisualSize } from "./visual.ts";

export interface VimOptions {
  editor: Editor;
  /** Returns whether keys go to the prompt: it is shown, and nothing is in its place. */
  isAtPrompt: () => boolean;
  /** Key sequences that end the insert mode like Esc, such as `jj`. */
  escapes?: readonly string[];
  /** Called when the mode changes. */
  onModeChange?: (mode: VimMode) => void;
}

/** A key without any further effect. */
const handledKey: Key = { type: "press", name: "vim" };
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
/** In visual mode these do not lead to other prompts. */
const visualKeyNames: ReadonlyMap<string, string> = new Map([...commandKeyNames, ["up", "k"], ["down", "j"]]);
/** In insert mode, what is typed after such a key is another undo step. */
const moveKeyNames: ReadonlySet<string> = new Set(["left", "right", "home", "end", "up", "down"]);

export class Vim {
  readonly #options: VimOptions;
  readonly #editor: Editor;
  readonly #normal: NormalCommands;
  readonly #visual: Visual;
  #isInsert = true;
  #reportedMode: VimMode = "INSERT";
  #pending = "";
  /** Where the insert mode started, the text at that time, and how often the insertion is repeated. */
  #insertion: { at: number; text: string; times: number } | undefined;
  /** The editor's change count before the changes that the end of the insert mode makes one undo step. */
  #step: number | undefined;
  /** The last change: its keys, what was selected, and the text typed until the insert mode ended. */
  #last: { keys: string; size?: VisualSize; inserted?: string } | undefined;
  #isRepeating = false;
  /** The end of the text typed in insert mode, key by key. */
  #typed = "";

  constructor(options: VimOptions) {
    this.#options = options;
    this.#editor = options.editor;
    const [edits, motions] = [new Edits(options.editor), new Motions()];
    this.#normal = new NormalCommands(options.editor, edits, motions);
    this.#visual = new Visual(options.editor, edits, motions);
  }

  get mode(): VimMode {
    if (this.#isInsert) return "INSERT";
    const { kind } = this.#visual;
    if (kind === undefined) return "NORMAL";
    return kind === "V" ? "VISUAL LINE" : "VISUAL";
  }

  /** The label for the row under the prompt. */
  get label(): string {
    return `-- ${this.mode} -- ${this.#pending}`.trimEnd();
  }

  /** In normal mode, moves the cursor onto a character: keys handled elsewhere, such as those of the history, leave it behind the last. */
  settleCursor(): void {
    if (this.mode === "NORMAL") this.#clamp();
  }

  /** Handles a key, and returns the keys left for the other handlers. */
  handle(key: Key): Key[] {
    const left = this.#handle(key);
    const { mode } = this;
    if (mode !== this.#reportedMode) {
      this.#reportedMode = mode;
      this.#options.onModeChange?.(mode);
    }
    return left;
  }

  #handle(key: Key): Key[] {
    const isAtPrompt = this.#options.isAtPrompt();
    // A paste in normal mode is a step of its own.
    if (!this.#isInsert) this.#endStep();
    // Text typed while no prompt is shown begins a new one, in insert mode.
    if (key.type === "text" && !isAtPrompt) this.#startPrompt();
    if (key.type === "text" && isAtPrompt)
      return this.#isInsert ? this.#insertText(key.text) : this.#commands(key.text);
    this.#typed = "";
    if (key.type !== "press") {
      if (isAtPrompt) this.#beforePaste();
      return [key];
    }
    switch (key.name) {
      case "escape":
      case "ctrl+[":
        return isAtPrompt ? this.#escape(key) : [key];
      case "enter":
      case "ctrl+m":
      case "ctrl+c":
        this.#startPrompt();
        return [key];
      default:
        return isAtPrompt ? this.#namedKey(key) : [key];
    }
  }

  #escape(key: Key): Key[] {
    if (this.#isInsert) this.#leaveInsert();
    else if (this.#visual.kind !== undefined) this.#leaveVisual();
    else if (this.#pending === "") return [key];
    this.#pending = "";
    return [handledKey];
  }

  /** A paste replaces what is selected, and ends a half-typed command. In normal mode it goes behind the cursor's character, except at the start of a line. */
  #beforePaste(): void {
    this.#pending = "";
    this.#step ??= this.#editor.changeCount;
    if (this.#visual.kind !== undefined) return this.#visual.erase();
    const { text, cursor } = this.#editor;
    if (this.#isInsert || cursor === lineStart(text, cursor)) return undefined;
    return this.#editor.moveTo(Math.min(lineEnd(text, cursor), clusterRight(text, cursor)));
  }

  #namedKey(key: Key & { type: "press" }): Key[] {
    if (this.#isInsert) {
      if (moveKeyNames.has(key.name)) this.#endStep();
      else this.#step ??= this.#editor.changeCount;
      return [key];
    }
    const isVisual = this.#visual.kind !== undefined;
    const isRedo = key.name === "ctrl+r" && !isVisual && this.#editor.canRedo && /^\d*$/u.test(this.#pending);
    if (isRedo) return this.#commands(redoKey);
    const letter = (isVisual ? visualKeyNames : commandKeyNames).get(key.name);
    const isWithin = this.#pending !== "";
    if (letter !== undefined && !isWithin) return this.#commands(letter);
    this.#pending = "";
    if (isWithin) return [handledKey];
    if (isVisual) this.#leaveVisual();
    return [key];
  }

  #insertText(text: string): Key[] {
    this.#step ??= this.#editor.changeCount;
    const before = this.#typed;
    const typed = before + text;
    const found = this.#options.escapes?.find((keys) => keys !== "" && typed.endsWith(keys));
    this.#typed = typed.slice(-maxEscapeLength);
    if (found === undefined) return [{ type: "text", text }];
    const left = typed.slice(0, -found.length);
    // The part typed earlier is in the prompt already.
    const { cursor } = this.#editor;
    if (left.length < before.length) this.#editor.replace(cursor - (before.length - left.length), cursor, "");
    else this.#editor.insert(left.slice(before.length));
    this.#leaveInsert();
    return [handledKey];
  }

  #commands(text: string): Key[] {
    const left: Key[] = [];
    const keys = clusters(text);
    for (const [at, key] of keys.entries()) {
      if (this.#isInsert) return [...left, { type: "text", text: keys.slice(at).join("") }];
      left.push(...this.#command(key));
    }
    return left.length === 0 ? [handledKey] : left;
  }

  #command(key: string): Key[] {
    const { size } = this.#visual;
    if (size === undefined) this.#clamp();
    const keys = this.#pending + key;
    const command = size === undefined ? parseCommand(keys) : parseVisualCommand(keys);
    this.#pending = command === "more" ? keys : "";
    if (command === "more") return [];
    const { changeCount } = this.#editor;
    const left = this.#run(command);
    // A change that leaves the text the same counts, such as capital letters for capital letters: the dot repeats it elsewhere.
    const isChange = this.#editor.changeCount !== changeCount || this.#isInsert;
    const isRepeatable = size !== undefined || !["u", redoKey, "."].includes(command.what);
    if (isChange && isRepeatable && !this.#isRepeating) this.#last = { keys, ...withoutUndefined({ size }) };
    if (this.#isInsert) this.#step = changeCount;
    else this.#editor.joinChanges(changeCount);
    this.settleCursor();
    return left;
  }

  #run(command: Command): Key[] {
    const { what, count, hasCount } = command;
    if (this.#visual.kind !== undefined) {
      if (this.#visual.run(command)) this.#insertAt(this.#editor.cursor);
      return [];
    }
    if (command.operator === undefined && (what === "v" || what === "V")) this.#visual.begin(what);
    else if (command.operator === undefined && what === "gv") this.#visual.beginPrevious();
    else if (command.operator === undefined && what === ".") this.#repeat(hasCount ? count : undefined);
    else {
      const { keys = [], insertion } = this.#normal.run(command);
      if (insertion !== undefined) this.#insertAt(insertion.at, insertion.times);
      return keys.map((name) => ({ type: "press", name }));
    }
    return [];
  }

  /** Repeats the last change. `count` replaces the count it was typed with. */
  #repeat(count: number | undefined): void {
    if (this.#last === undefined || this.#isRepeating) return;
    const { keys, size, inserted } = this.#last;
    const last =
      count === undefined || size !== undefined ? this.#last : { ...this.#last, keys: withCount(keys, count) };
    this.#isRepeating = true;
    if (size !== undefined) this.#visual.beginAgain(size);
    for (const key of clusters(last.keys)) this.#command(key);
    if (this.#isInsert) {
      this.#editor.insert(inserted ?? "");
      this.#leaveInsert();
    }
    this.#isRepeating = false;
    this.#last = last;
  }

  /** Starts the insert mode. The typed text is inserted `times` times. */
  #insertAt(at: number, times = 1): void {
    this.#editor.moveTo(at);
    this.#insertion = { at, text: this.#editor.text, times: Math.min(times, maxRepeats) };
    this.#setInsert(true);
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
        this.#last = { ...this.#last, inserted: isTyped ? typed : "" };
    }
    this.#endStep();
    this.#insertion = undefined;
    this.#setInsert(false);
    const { text, cursor } = this.#editor;
    this.#editor.moveTo(Math.max(lineStart(text, cursor), clusterLeft(text, cursor)));
  }

  #leaveVisual(): void {
    this.#visual.end();
    this.#clamp();
  }

  #endStep(): void {
    if (this.#step !== undefined) this.#editor.joinChanges(this.#step);
    this.#step = undefined;
  }

  #startPrompt(): void {
    this.#insertion = undefined;
    this.#visual.end();
    this.#setInsert(true);
  }

  #setInsert(isInsert: boolean): void {
    this.#pending = "";
    this.#typed = "";
    this.#isInsert = isInsert;
  }

  /** Moves the cursor onto a character if the line has one. */
  #clamp(): void {
    const { text, cursor } = this.#editor;
    if (cursor === lineEnd(text, cursor) && cursor > lineStart(text, cursor))
      this.#editor.moveInColumn(clusterLeft(text, cursor));
  }
}
