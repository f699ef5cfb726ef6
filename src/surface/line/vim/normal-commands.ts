/** Runs the commands of Vim's normal mode, except the dot and those that begin the visual mode. */
import type { Editor } from "../editor.ts";
import { clusterRight, lineEnd, lineStart } from "../motion.ts";
import { parseCommand, redoKey, type Command, type Operator } from "./command.ts";
import { maxRepeats, type Edits } from "./edits.ts";
import type { Motions } from "./motions.ts";
import { firstNonBlank } from "./places.ts";
import { operatorRange } from "./ranges.ts";

export interface NormalResult {
  /** The names of keys for the other key handling. */
  keys?: readonly string[];
  /** Set if the insert mode starts: where, and how often the text typed there is inserted. */
  insertion?: { at: number; times: number };
}

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

export class NormalCommands {
  readonly #editor: Editor;
  readonly #edits: Edits;
  readonly #motions: Motions;

  constructor(editor: Editor, edits: Edits, motions: Motions) {
    this.#editor = editor;
    this.#edits = edits;
    this.#motions = motions;
  }

  run(command: Command): NormalResult {
    const { operator, what, count } = command;
    if (operator !== undefined) return this.#operate(operator, command);
    if (what === "/" || what === "?") return { keys: ["ctrl+r"] };
    if (what === "j" || what === "k") return this.#moveLines(what === "j" ? "down" : "up", Math.min(count, maxRepeats));
    const { text, cursor } = this.#editor;
    const motion = this.#motions.resolve(command, text, cursor);
    if (motion === undefined) return this.#edit(what, count);
    if (what === "$") this.#editor.moveToLineEnds(motion.to);
    else this.#editor.moveTo(motion.to);
    return {};
  }

  /** From the first and the last line the other key handling leads to other prompts. */
  #moveLines(direction: "up" | "down", count: number): NormalResult {
    let left = count;
    while (left > 0 && this.#editor.moveLine(direction)) left -= 1;
    return { keys: Array.from({ length: left }, () => direction) };
  }

  #operate(operator: Operator, command: Command): NormalResult {
    const { text, cursor } = this.#editor;
    const taken = operatorRange(command, this.#motions, text, cursor);
    if (taken === undefined) return {};
    this.#edits.operate(operator, taken, taken.start);
    return operator === "c" ? insertionAt(this.#editor.cursor) : {};
  }

  #edit(what: string, count: number): NormalResult {
    const { text, cursor } = this.#editor;
    const end = lineEnd(text, cursor);
    switch (what) {
      case "i":
        return insertionAt(cursor, count);
      case "I":
        return insertionAt(firstNonBlank(text, cursor), count);
      case "a":
        return insertionAt(Math.min(end, clusterRight(text, cursor)), count);
      case "A":
        return insertionAt(end, count);
      case "o":
        this.#editor.replace(end, end, "\n");
        return insertionAt(end + 1);
      case "O": {
        const start = lineStart(text, cursor);
        this.#editor.replace(start, start, "\n");
        return insertionAt(start);
      }
      default:
        return this.#change(what, count);
    }
  }

  #change(what: string, count: number): NormalResult {
    switch (what) {
      case "p":
      case "P":
        this.#edits.putBack(what, count);
        return {};
      case "u":
      case redoKey:
        for (let left = Math.min(count, maxRepeats); left > 0; left -= 1)
          this.#editor.do(what === "u" ? "undo" : "redo");
        return {};
      case "~":
        this.#edits.swapCase(count);
        return {};
      case "J":
        this.#edits.join(count);
        return {};
      default:
        if (what.length > 1 && what.startsWith("r")) this.#edits.replace(what.slice(1), count);
        return this.#runAlias(what, count);
    }
  }

  #runAlias(what: string, count: number): NormalResult {
    const [operator, operand] = commandAliases.get(what) ?? [];
    const command = operator === undefined ? "more" : parseCommand(`${operator}${count}${operand}`);
    return command === "more" ? {} : this.run(command);
  }
}

function insertionAt(at: number, times = 1): NormalResult {
  return { insertion: { at, times } };
}
