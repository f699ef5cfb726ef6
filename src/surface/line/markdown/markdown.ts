/**
 * Renders the answer's Markdown for a terminal while it streams: headings, emphasis, code, tables. Text is written as soon as
 * later text cannot change its meaning; a line of code and a table are written at their end.
 */
import type { Style } from "../../show/style.ts";
import { renderInline } from "./inline.ts";
import { layOutMoreRows, layOutTable, type TableColumns } from "./table.ts";
import { WordWrapper } from "./word-wrapper.ts";

/** A line that may still become a heading, a fence or a table. */
const undecidedLine = /^ *(?:`{1,2}|~{1,2}|#{1,6})?$/u;
/** With any indentation, because models put code blocks below list items. */
const fenceLine = /^ *(?<marks>`{3,}|~{3,})(?<info>.*)$/u;
const headingLine = /^ {0,3}#{1,6} +(?<text>.*?)(?: +#+)? *$/u;
const tableRow = /^ {0,3}\|/u;
/** A longer table is laid out in parts of so many lines, each as wide as the one before or wider. */
const maxTableLines = 500;
/** In characters. A longer line is shown as plain text. */
const maxLineLength = 4_000;

export class Markdown {
  readonly #style: Style;
  readonly #columns: () => number;
  /** The part of the open line that is not shown yet, as received. */
  #line = "";
  /** The last character that was shown of the open line; empty if none was. */
  #lastShown = "";
  #fence: { marks: string; isDiff: boolean } | undefined;
  /** The lines of the table that are not shown yet. */
  #table: string[] = [];
  /** The columns of the part of the table that is shown. */
  #tableColumns: TableColumns | undefined;
  readonly #wrap: WordWrapper;
  readonly #indent: number;
  /** The text is not changed. It still waits for the ends of words and of lines of code, because a prompt may be typed in between. */
  readonly #isVerbatim: boolean;

  /** `columns` returns the terminal's width at the time of layout. `indent` is the number of columns before each row. */
  constructor(style: Style, columns: () => number, indent = 0) {
    this.#style = style;
    this.#columns = columns;
    this.#indent = indent;
    this.#isVerbatim = isVerbatim(style);
    this.#wrap = new WordWrapper(this.#isVerbatim ? () => Infinity : columns);
  }

  /** Other output has ended the open row. */
  rowEnded(): void {
    this.#wrap.rowEnded();
  }

  /** Returns all waiting text when the answer is cut off. A little more may still come. */
  flushInterrupted(): string {
    const fence = this.#fence;
    const shown = this.end();
    this.#fence = fence;
    this.#wrap.continueLine();
    return shown;
  }

  /** Takes text that is safe to show, and returns what to write now. */
  push(text: string): string {
    const lines = (this.#line + text).split("\n");
    this.#line = lines.pop() ?? "";
    let shown = "";
    for (const line of lines) {
      shown += this.#renderLine(line, "\n");
      this.#lastShown = "";
    }
    return shown + this.#renderOpenLine();
  }

  /** Returns the rest at the end of the text. */
  end(): string {
    const rest = this.#line;
    this.#line = "";
    const shown = rest === "" ? this.#wrap.end() + this.#endTable() : this.#renderLine(rest, "") + this.#endTable();
    this.#lastShown = "";
    this.#fence = undefined;
    return shown;
  }

  #renderLine(line: string, end: string): string {
    if (this.#fence !== undefined) return (this.#lastShown === "" ? this.#renderCodeLine(line) : line) + end;
    if (this.#lastShown !== "") return this.#wrapText(inlineText(line, this.#style, this.#lastShown)) + end;
    if (line.length <= maxLineLength && !this.#isVerbatim && tableRow.test(line)) {
      this.#table.push(line);
      return this.#table.length < maxTableLines ? "" : this.#renderTable();
    }
    return this.#endTable() + this.#renderPlainLine(line) + end;
  }

  #renderPlainLine(line: string): string {
    if (line.length > maxLineLength) return this.#wrapText(inlineText(line, this.#style, ""));
    const { groups: opening } = fenceLine.exec(line) ?? {};
    const marks = opening?.["marks"];
    const info = opening?.["info"] ?? "";
    if (marks !== undefined && !(marks.startsWith("`") && info.includes("`"))) {
      this.#fence = { marks, isDiff: /^ *(?:diff|patch)\b/u.test(info) };
      return this.#style.dim(line);
    }
    const title = headingLine.exec(line)?.groups?.["text"];
    if (title === undefined || this.#isVerbatim) return this.#wrapText(inlineText(line, this.#style, ""));
    const shown = this.#style.bold(inlineText(title, { ...this.#style, bold: (text) => text }, ""));
    return this.#wrapText(this.#style.isSpoken ? `heading: ${shown}` : shown);
  }

  /** Wraps the rest of a line of prose. */
  #wrapText(text: string): string {
    return this.#wrap.push(text) + this.#wrap.end();
  }

  /** Renders a line of a code block. */
  #renderCodeLine(line: string): string {
    if (line.length > maxLineLength) return line;
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
  #renderOpenLine(): string {
    const line = this.#line;
    if (line === "" || (this.#lastShown === "" && this.#mustWait(line))) return "";
    if (this.#fence !== undefined) {
      this.#line = "";
      this.#lastShown = line.slice(-1);
      return line;
    }
    const { shown, rest } = this.#isVerbatim
      ? { shown: line, rest: "" }
      : renderInline(line, this.#style, false, this.#lastShown);
    if (rest.length === line.length) return "";
    const table = this.#lastShown === "" ? this.#endTable() : "";
    this.#lastShown = line.charAt(line.length - rest.length - 1);
    this.#line = rest;
    return table + this.#wrap.push(shown);
  }

  /** Returns whether the line's kind is not clear yet, or the whole line is needed. */
  #mustWait(line: string): boolean {
    if (line.length > maxLineLength) return false;
    // Output that ends a row of code, such as a typed prompt, would otherwise leave the line in two pieces.
    if (this.#fence !== undefined) return true;
    return undecidedLine.test(line) || fenceLine.test(line) || /^ {0,3}#{1,6} /u.test(line) || tableRow.test(line);
  }

  #endTable(): string {
    const shown = this.#table.length === 0 ? "" : this.#renderTable();
    this.#tableColumns = undefined;
    return shown;
  }

  #renderTable(): string {
    const lines = this.#table;
    this.#table = [];
    const [style, room] = [this.#style, { columns: this.#columns(), indent: this.#indent }];
    const above = this.#tableColumns;
    const laid = above === undefined ? layOutTable(lines, style, room) : layOutMoreRows(lines, style, room, above);
    this.#tableColumns = laid?.columns ?? above;
    return (laid?.lines ?? lines.map((line) => inlineText(line, style, ""))).map((line) => `${line}\n`).join("");
  }
}

/** Renders a complete text. */
export function renderMarkdown(text: string, style: Style, columns: number, indent = 0): string {
  const stream = new Markdown(style, () => columns, indent);
  return stream.push(text) + stream.end();
}

/** Without colours, a Markdown mark is the only sign of what it marks. */
function isVerbatim(style: Style): boolean {
  return style.isPlain && !style.isSpoken;
}

function inlineText(line: string, style: Style, before: string): string {
  return isVerbatim(style) ? line : renderInline(line, style, true, before).shown;
}
