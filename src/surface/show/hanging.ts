/** Lists for people in a terminal that is narrower than their lines: words go on below the column they begin in. */
import { piecesOf } from "./row-end.ts";

/** A name and what is said of it, apart by blanks. */
const columnForm = /^(\s*\S.*?\s{2,})(?=\S)/u;
const colours = new RegExp(String.raw`\x1b\[[\d;]*m`, "gu");
const leastRoom = 24;
/** No name is longer: an expression that looks for its end goes no further. */
const mostHead = 500;

export function hanging(text: string, columns: number): string {
  return text
    .split("\n")
    .map((line) => (widthOf(line) < columns ? line : broken(line, columns - 1)))
    .join("\n");
}

function broken(line: string, columns: number): string {
  const head = columnForm.exec(line.slice(0, mostHead))?.[0] ?? /^\s*/u.exec(line)?.[0] ?? "";
  // With too little room beside the name, what is said of it begins below it, also where it has a line of its own.
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

/** At most: what is not ASCII may be two columns wide. A colour takes none. */
function widthOf(text: string): number {
  return text.replaceAll(colours, "").replaceAll(/[^ -~]/gu, "  ").length;
}
