/**
 * Renders the answer's Markdown for a terminal while it streams: headings, emphasis, code, tables. Text is written as soon as
 * later text cannot change its meaning; a table is written at its end.
 */
import type { Style } from "../../show/style.ts";
import { inline } from "./inline.ts";
import { table } from "./table.ts";
import { Wrap } from "./wrap.ts";

/** A line that may still become a heading, a fence or a table. */
const undecided = /^ *(?:`{1,2}|~{1,2}|#{1,6})?$/u;
/** With any indentation, because models put code blocks below list items. */
const fence = /^ *(?<marks>`{3,}|~{3,})(?<info>.*)$/u;
const heading = /^ {0,3}#{1,6} +(?<text>.*?)(?: +#+)? *$/u;
const tableRow = /^ {0,3}\|/u;
/** The most lines of a table that is laid out; the rest is shown as plain lines. */
const longestTable = 500;
/** In characters. A longer line is shown as plain text. */
const longestLine = 4_000;

export class Markdown {
  readonly #style: Style;
  readonly #columns: () => number;
  /** The part of the open line that is not shown yet, as received. */
  #line = "";
  /** The last character that was shown of the open line; empty if none was. */
  #before = "";
  #fence: { marks: string; isDiff: boolean } | undefined;
  #table: string[] = [];
  readonly #wrap: Wrap;
  readonly #indent: number;

  /** `columns` returns the terminal's width at the time of layout. `indent` is the number of columns before each row. */
  constructor(style: Style, columns: () => number, indent = 0) {
    this.#style = style;
    this.#columns = columns;
    this.#indent = indent;
    this.#wrap = new Wrap(columns);
  }

  /** Other output has ended the open row. */
  rowEnded(): void {
    this.#wrap.rowEnded();
  }

  /** Returns all waiting text when the answer is cut off. A little more may still come. */
  cutOff(): string {
    const fence = this.#fence;
    const shown = this.end();
    this.#fence = fence;
    this.#wrap.cutOff();
    return shown;
  }

  /** Takes text that is safe to show, and returns what to write now. */
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

  /** Returns the rest at the end of the text. */
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

  /** Wraps the rest of a line of prose. */
  #wrapped(text: string): string {
    return this.#wrap.push(text) + this.#wrap.end();
  }

  /** Renders a line of a code block. */
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

  /** Returns the part of the open line that is certain already. */
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

  /** Returns whether the line's kind is not clear yet, or the whole line is needed. */
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

/** Renders a complete text. */
export function markdown(text: string, style: Style, columns: number, indent = 0): string {
  const stream = new Markdown(style, () => columns, indent);
  return stream.push(text) + stream.end();
}

function inlineOf(line: string, style: Style, before: string): string {
  return inline(line, style, true, before).shown;
}
