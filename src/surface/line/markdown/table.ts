/** Lays out a table in columns. If it is too wide, the words of its widest cells wrap. */
import { stripControls } from "../../../lib/sanitize.ts";
import type { Style } from "../../show/style.ts";
import { cellsOf, displayWidth } from "../width.ts";
import { renderInline } from "./inline.ts";

const separatorRow = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/u;
const minColumnWidth = 8;
const emojiWithMark = /^.\ufe0f\u20e3?$/u;

type Alignment = "left" | "right" | "center";

export interface TableRoom {
  columns: number;
  /** The number of columns before each row. */
  indent: number;
}

/** What further rows of a table need to know of it. */
export interface TableColumns {
  heads: readonly string[];
  alignments: readonly Alignment[];
  /** Empty for a screen reader. */
  widths: readonly number[];
}

export interface LaidTable {
  lines: string[];
  columns: TableColumns;
}

/** Returns undefined if the lines are not a table, or if it does not fit into the room. */
export function layOutTable(lines: readonly string[], style: Style, room: TableRoom): LaidTable | undefined {
  const [head, rule, ...rows] = lines;
  if (head === undefined || rule === undefined || !separatorRow.test(rule)) return undefined;
  const alignments = splitTableRow(rule).map(alignmentOf);
  const heads = renderCells(head, style, alignments.length);
  if (heads === undefined || splitTableRow(head).length !== alignments.length) return undefined;
  // Without rows, a screen reader reads the header.
  if (style.isSpoken && rows.length === 0)
    return { lines: [heads.join("; ")], columns: { heads, alignments, widths: [] } };
  const widths = style.isSpoken ? [] : heads.map(visibleWidth);
  const laid = layOutMoreRows(rows, style, room, { heads, alignments, widths });
  if (laid === undefined || style.isSpoken) return laid;
  const line = style.dim(laid.columns.widths.map((width) => "─".repeat(width)).join("─┼─"));
  return { ...laid, lines: [...placeRow(heads, style, room, laid.columns, true), line, ...laid.lines] };
}

/** Lays out rows below those before them. A column is never narrower than above, unless the rows would not fit into the room. */
export function layOutMoreRows(
  lines: readonly string[],
  style: Style,
  room: TableRoom,
  above: TableColumns,
): LaidTable | undefined {
  const { heads, alignments } = above;
  const shown = lines.map((line) => renderCells(line, style, alignments.length));
  if (!shown.every((row) => row !== undefined)) return undefined;
  if (style.isSpoken) return { lines: shown.map((row) => spokenRow(row, heads)), columns: above };
  const wanted = alignments.map((_, at) =>
    shown.reduce((widest, row) => Math.max(widest, visibleWidth(row[at] ?? "")), above.widths[at] || 1),
  );
  const widths = fitColumnWidths(wanted, room.columns - 1 - 3 * (alignments.length - 1));
  if (widths === undefined) return undefined;
  const columns = { heads, alignments, widths };
  return { lines: shown.flatMap((row) => placeRow(row, style, room, columns, false)), columns };
}

/** Returns the cells as they are shown, as many as there are columns; undefined if there are more. */
function renderCells(line: string, style: Style, count: number): string[] | undefined {
  const cells = splitTableRow(line);
  if (cells.length > count) return undefined;
  return Array.from({ length: count }, (_, at) => renderInline(cells[at] ?? "", style, true).shown);
}

/** Returns the terminal rows of a table row. */
function placeRow(
  row: readonly string[],
  style: Style,
  { indent }: TableRoom,
  { alignments, widths }: TableColumns,
  isHead: boolean,
): string[] {
  return terminalRows(row, widths).map((each) => {
    const isPlaced = needsBarPositions(each);
    let end = indent;
    return each
      .map((text, place) => {
        const width = widths[place] ?? 1;
        const padded = alignCell(text, width, alignments[place] ?? "left");
        const cell = place === widths.length - 1 ? padded.trimEnd() : padded;
        end += width + (place === 0 ? 0 : 3);
        const bar = isPlaced && place < widths.length - 1 ? `\x1b[${end + 1}G` : "";
        return (isHead ? style.bold(stripControls(cell)) : cell) + bar;
      })
      .join(style.dim(" │ "));
  });
}

/** Returns a row such as `Name: Ada; Age: 36`. */
function spokenRow(row: readonly string[], heads: readonly string[]): string {
  return row.map((text, at) => ((heads[at] ?? "") === "" ? text : `${heads[at]}: ${text}`)).join("; ");
}

/** Returns whether to place bars by column: some terminals give an emoji with a mark one column. Not for emoji that may be wider. */
function needsBarPositions(row: readonly string[]): boolean {
  const disputed = row.flatMap((text) => cellsOf(stripControls(text)).filter(({ isDisputed }) => isDisputed));
  return disputed.length > 0 && disputed.every(({ text }) => emojiWithMark.test(text));
}

/** Returns the text between the bars. A bar after a backslash or within code belongs to its cell. */
function splitTableRow(line: string): string[] {
  const within = line
    .trim()
    .replace(/^\|/u, "")
    .replace(/(?<!\\)\|$/u, "");
  const found = within.match(/(?:\\.|`[^`]*`|[^|])+|(?<=\|)(?=\|)|^(?=\|)|(?<=\|)$/gu) ?? [""];
  return found.map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function alignmentOf(rule: string): Alignment {
  if (!rule.endsWith(":")) return "left";
  return rule.startsWith(":") ? "center" : "right";
}

/** Returns the column widths. The widest columns shrink together until all fit. */
function fitColumnWidths(wantedWidths: readonly number[], room: number): number[] | undefined {
  const left = (most: number): number => wantedWidths.reduce((rest, width) => rest - Math.min(width, most), room);
  let most = Math.min(Math.max(...wantedWidths), Math.max(room, minColumnWidth));
  while (left(most) < 0) {
    if (most <= minColumnWidth) return undefined;
    most -= 1;
  }
  let spare = left(most);
  return wantedWidths.map((width) => (width > most && spare-- > 0 ? most + 1 : Math.min(width, most)));
}

/** Returns the terminal rows of a table row, as many as its tallest cell needs. A wrapped cell has no colours. */
function terminalRows(row: readonly string[], widths: readonly number[]): string[][] {
  const broken = row.map((text, at) =>
    visibleWidth(text) <= (widths[at] ?? 1) ? [text] : wrapCell(text, widths[at] ?? 1),
  );
  const height = Math.max(...broken.map((lines) => lines.length));
  return Array.from({ length: height }, (_, at) => broken.map((lines) => lines[at] ?? ""));
}

function wrapCell(text: string, width: number): string[] {
  const rows: string[] = [];
  let row = "";
  let column = 0;
  for (const word of stripControls(text).split(" ")) {
    const wide = displayWidth(word);
    if (column > 0 && column + 1 + wide > width) {
      rows.push(row);
      row = "";
      column = 0;
    }
    if (column > 0) {
      row += " ";
      column++;
    }
    for (const cell of cellsOf(word)) {
      if (column + cell.columns > width && column > 0) {
        rows.push(row);
        row = "";
        column = 0;
      }
      row += cell.text;
      column += cell.columns;
    }
  }
  return [...rows, row];
}

function visibleWidth(text: string): number {
  return displayWidth(stripControls(text));
}

function alignCell(text: string, width: number, alignment: Alignment): string {
  const free = Math.max(0, width - visibleWidth(text));
  const left = alignment === "left" ? 0 : alignment === "right" ? free : free >> 1;
  return " ".repeat(left) + text + " ".repeat(free - left);
}
