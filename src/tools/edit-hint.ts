/** Why an Edit found nothing, as far as a look at the file can tell. In time linear in the file. */

/** Longer lines are not compared. */
const mostLine = 4000;
const shownOfLine = 200;

interface Likeness {
  what: string;
  fold: (line: string) => string;
}

const likenesses: readonly Likeness[] = [
  { what: "whitespace at its ends or its indentation", fold: (line) => line.trim() },
  { what: "whitespace", fold: (line) => line.replace(/\s+/g, "") },
  { what: "quotes, dashes, accents or other characters that look alike", fold: foldCharacters },
  { what: "upper and lower case", fold: (line) => foldCharacters(line).toLowerCase() },
];

const lookalikes: Record<string, string> = {
  "‘": "'",
  "’": "'",
  "“": '"',
  "”": '"',
  "–": "-",
  "—": "-",
  "−": "-",
  "…": "...",
};

function foldCharacters(line: string): string {
  return line
    .replace(/[‘’“”–—−…]/g, (character) => lookalikes[character] ?? character)
    .normalize("NFKC")
    .replace(/\s+/g, "");
}

/** A sentence or two for the model; empty where nothing near was found. */
export function hintFor(text: string, oldString: string): string {
  const numbered = /^\s*\d+\t/.test(oldString)
    ? " Leave out the line numbers and tabs that Read puts before each line."
    : "";
  const wanted = oldString.split("\n").find((line) => line.trim() !== "");
  if (wanted === undefined) return " It consists of blanks only: give some text with them.";
  const lines = text.split("\n");
  if (wanted.length > mostLine) return numbered;
  if (lines.some((line) => stripCr(line) === stripCr(wanted)) || text.includes(wanted)) {
    const at = lines.findIndex((line) => line.includes(wanted));
    return `${numbered} Its first line is there (line ${at + 1}), what follows differs: read the place again.`;
  }
  for (const { what, fold } of likenesses) {
    const folded = fold(stripCr(wanted));
    if (folded === "") continue;
    const at = lines.findIndex((line) => line.length <= mostLine && fold(line) === folded);
    if (at !== -1)
      return `${numbered} Line ${at + 1} differs only in ${what}:\n  the file:   ${quote(lines[at] ?? "")}\n  old_string: ${quote(wanted)}`;
  }
  const escaped = /\\[nt"']/.test(oldString)
    ? " It holds backslash escapes: give the characters themselves unless the file has backslashes."
    : "";
  return numbered + escaped;
}

function stripCr(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

function quote(line: string): string {
  return JSON.stringify(line.slice(0, shownOfLine));
}
