/** Wraps lists for a narrow terminal: further rows start below the column where the text of the line starts. */
import { splitAtBreakPoints } from "./row-end.ts";

/** A name and its description, separated by blanks. */
const columnPattern = /^(\s*\S.*?\s{2,})(?=\S)/u;
const colourSequences = new RegExp(String.raw`\x1b\[[\d;]*m`, "gu");
const minDescriptionWidth = 24;
/** The longest name. Limits how far the expression looks for its end. */
const maxHeadLength = 500;

export function wrapHanging(text: string, columns: number): string {
  return text
    .split("\n")
    .map((line) => (estimatedWidth(line) < columns ? line : wrapLine(line, columns - 1)))
    .join("\n");
}

function wrapLine(line: string, columns: number): string {
  const head = columnPattern.exec(line.slice(0, maxHeadLength))?.[0] ?? /^\s*/u.exec(line)?.[0] ?? "";
  // If there is too little room beside the name, the description starts below it.
  const isBelow = columns - estimatedWidth(head) < minDescriptionWidth;
  const indent = " ".repeat(isBelow ? Math.min(4, columns >> 1, estimatedWidth(head)) : estimatedWidth(head));
  const rows: string[] = isBelow && head.trim() !== "" ? [head] : [];
  let row = isBelow ? indent : head;
  let width = estimatedWidth(row);
  let isEmpty = true;
  for (const word of line.slice(head.length).split(" ")) {
    let blank = isEmpty ? "" : " ";
    for (const piece of splitAtBreakPoints(word)) {
      const more = estimatedWidth(piece);
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
function estimatedWidth(text: string): number {
  return text.replaceAll(colourSequences, "").replaceAll(/[^ -~]/gu, "  ").length;
}
