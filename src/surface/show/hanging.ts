/** Wraps lists for a narrow terminal: further rows start below the column where the text of the line starts. */
import { piecesOf } from "./row-end.ts";

/** A name and its description, separated by blanks. */
const columnForm = /^(\s*\S.*?\s{2,})(?=\S)/u;
const colours = new RegExp(String.raw`\x1b\[[\d;]*m`, "gu");
const leastRoom = 24;
/** The longest name. Limits how far the expression looks for its end. */
const mostHead = 500;

export function hanging(text: string, columns: number): string {
  return text
    .split("\n")
    .map((line) => (widthOf(line) < columns ? line : broken(line, columns - 1)))
    .join("\n");
}

function broken(line: string, columns: number): string {
  const head = columnForm.exec(line.slice(0, mostHead))?.[0] ?? /^\s*/u.exec(line)?.[0] ?? "";
  // If there is too little room beside the name, the description starts below it.
  const isBelow = columns - widthOf(head) < leastRoom;
  const indent = " ".repeat(isBelow ? Math.min(4, columns >> 1, widthOf(head)) : widthOf(head));
  const rows: string[] = isBelow && head.trim() !== "" ? [head] : [];
  let row = isBelow ? indent : head;
  let width = widthOf(row);
  let isEmpty = true;
  for (const word of line.slice(head.length).split(" ")) {
    let blank = isEmpty ? "" : " ";
    for (const piece of piecesOf(word)) {
      const more = widthOf(piece);
      if (!isEmpty && width + blank.length + more > columns) {
        rows.push(row);
        row = indent + piece;
        width = indent.length + more;
      } else {
        row += blank + piece;
        width += blank.length + more;
      }
      isEmpty = false;
      blank = "";
    }
  }
  return [...rows, row].map((each) => each.trimEnd()).join("\n");
}

/** Returns the greatest possible width: a character that is not ASCII may take two columns. Colours take none. */
function widthOf(text: string): number {
  return text.replaceAll(colours, "").replaceAll(/[^ -~]/gu, "  ").length;
}
