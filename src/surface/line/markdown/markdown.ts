/**
 * The answer's Markdown as a terminal shows it, while it streams: headings, emphasis, code, tables. What is certain is
 * written at once; what a later piece may make into something else waits for it, a table for its end.
 */
import type { Style } from "../../show/style.ts";
import { inline } from "./inline.ts";
import { table } from "./table.ts";
import { Wrap } from "./wrap.ts";

/** May still become a heading, a fence or a table. */
const undecided = /^ *(?:`{1,2}|~{1,2}|#{1,6})?$/u;
/** However far it is indented: models put them below the items of lists. */
const fence = /^ *(?<marks>`{3,}|~{3,})(?<info>.*)$/u;
const heading = /^ {0,3}#{1,6} +(?<text>.*?)(?: +#+)? *$/u;
const tableRow = /^ {0,3}\|/u;
/** A table of more lines than this is shown as it came. */
const longestTable = 500;
/** Characters. A longer line is a plain one. */
const longestLine = 4_000;

export class Markdown {
  readonly #style: Style;
  readonly #columns: () => number;
  /** The open line, as it came, but for what is shown of it. */
  #line = "";
  /** The character before it, where some of it is shown. */
  #before = "";
  #fence: { marks: string; isDiff: boolean } | undefined;
  #table: string[] = [];
  readonly #wrap: Wrap;
  readonly #indent: number;

  /** `columns`: of the terminal, when something is laid out; `indent`: those in front of each row that are not its own. */
  constructor(style: Style, columns: () => number, indent = 0) {
    this.#style = style;
    this.#columns = columns;
    this.#indent = indent;
    this.#wrap = new Wrap(columns);
  }

  /** Somebody else has ended the row that is open. */
  rowEnded(): void {
    this.#wrap.rowEnded();
  }

  /** All that waits, where the text is cut off; a little of it may come yet. */
  cutOff(): string {
    const fence = this.#fence;
    const shown = this.end();
    this.#fence = fence;
    this.#wrap.cutOff();
    return shown;
  }

  /** Takes text that is safe to show; answers what is to be written now. */
  push(text: string): string {
    if (this.#style.isPlain && !this.#style.isSpoken) return text;
    const lines = (this.#line + text).split("\n");
    this.#line = lines.pop() ?? "";
    let shown = "";
    for (const line of lines) {
      shown += this.#whole(line, "\n");
      this.#before = "";
    }
    return shown + this.#begun();
  }

  /** The text is over. */
  end(): string {
    const rest = this.#line;
    this.#line = "";
    const shown = rest === "" ? this.#wrap.end() + this.#endTable() : this.#whole(rest, "") + this.#endTable();
    this.#before = "";
    this.#fence = undefined;
    return shown;
  }

  #whole(line: string, end: string): string {
    if (this.#fence !== undefined) return (this.#before === "" ? this.#code(line) : line) + end;
    if (this.#before !== "") return this.#wrapped(inlineOf(line, this.#style, this.#before)) + end;
    if (line.length <= longestLine && tableRow.test(line) && this.#table.length < longestTable) {
      this.#table.push(line);
      return "";
    }
    return this.#endTable() + this.#plain(line) + end;
  }

  #plain(line: string): string {
    if (line.length > longestLine) return this.#wrapped(inlineOf(line, this.#style, ""));
    const { groups: opening } = fence.exec(line) ?? {};
    const marks = opening?.["marks"];
    const info = opening?.["info"] ?? "";
    if (marks !== undefined && !(marks.startsWith("`") && info.includes("`"))) {
      this.#fence = { marks, isDiff: /^ *(?:diff|patch)\b/u.test(info) };
      return this.#style.dim(line);
    }
    const title = heading.exec(line)?.groups?.["text"];
    if (title === undefined) return this.#wrapped(inlineOf(line, this.#style, ""));
    const shown = this.#style.bold(inlineOf(title, { ...this.#style, bold: (text) => text }, ""));
    return this.#wrapped(this.#style.isSpoken ? `heading: ${shown}` : shown);
  }

  /** What is left of a line of prose. */
  #wrapped(text: string): string {
    return this.#wrap.push(text) + this.#wrap.end();
  }

  /** A line between two fences. */
  #code(line: string): string {
    if (line.length > longestLine) return line;
    const { marks = "", isDiff = false } = this.#fence ?? {};
    const closing = line.trim();
    if (closing.startsWith(marks) && closing === marks.charAt(0).repeat(closing.length)) {
      this.#fence = undefined;
      return this.#style.dim(line);
    }
    if (isDiff && line.startsWith("+")) return this.#style.green(line);
    if (isDiff && line.startsWith("-")) return this.#style.red(line);
    return line;
  }

  /** What of the open line is certain already. */
  #begun(): string {
    const line = this.#line;
    if (line === "" || (this.#before === "" && this.#mustWait(line))) return "";
    if (this.#fence !== undefined) {
      this.#line = "";
      this.#before = line.slice(-1);
      return line;
    }
    const { shown, rest } = inline(line, this.#style, false, this.#before);
    if (rest.length === line.length) return "";
    const table = this.#before === "" ? this.#endTable() : "";
    this.#before = line.charAt(line.length - rest.length - 1);
    this.#line = rest;
    return table + this.#wrap.push(shown);
  }

  /** The line's beginning does not tell yet what it is, or all of it has to be known. */
  #mustWait(line: string): boolean {
    if (line.length > longestLine) return false;
    if (this.#fence !== undefined)
      return (
        this.#fence.isDiff || this.#fence.marks.startsWith(line.trim()) || line.trim().startsWith(this.#fence.marks)
      );
    return undecided.test(line) || fence.test(line) || /^ {0,3}#{1,6} /u.test(line) || tableRow.test(line);
  }

  #endTable(): string {
    const lines = this.#table;
    if (lines.length === 0) return "";
    this.#table = [];
    const laid = table(lines, this.#style, { columns: this.#columns(), indent: this.#indent });
    return (laid ?? lines.map((line) => inlineOf(line, this.#style, ""))).map((line) => `${line}\n`).join("");
  }
}

/** A whole text. */
export function markdown(text: string, style: Style, columns: number, indent = 0): string {
  const stream = new Markdown(style, () => columns, indent);
  return stream.push(text) + stream.end();
}

function inlineOf(line: string, style: Style, before: string): string {
  return inline(line, style, true, before).shown;
}
