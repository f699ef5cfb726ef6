/** Explains why an Edit found nothing, as far as the file's text tells. Takes time linear in the size of the file. */
import { escapeCharacter } from "../lib/json-line.ts";
import { sharedLength } from "../lib/shared-length.ts";

/** Lines longer than this are not compared. */
const maxLineLength = 4000;
const shownLineLength = 200;
/** How much of a line is shown before its first difference, if that is too far to the right. */
const shownContext = 60;

interface Likeness {
  what: string;
  fold: (line: string) => string;
}

const lookalikeDescription = "quotes, dashes, accents or other characters that look alike or are invisible";
const likenesses: readonly Likeness[] = [
  { what: "whitespace at its ends or its indentation", fold: (line) => line.trim() },
  { what: "whitespace", fold: (line) => line.replace(/\s+/g, "") },
  { what: lookalikeDescription, fold: foldCharacters },
  { what: "upper and lower case", fold: (line) => foldCharacters(line).toLowerCase() },
];

const lookalikes: Record<string, string> = {
  "‘": "'",
  "’": "'",
  "“": '"',
  "”": '"',
  "‚": "'",
  "„": '"',
  "«": '"',
  "»": '"',
  "‐": "-",
  "‑": "-",
  "–": "-",
  "—": "-",
  "−": "-",
  "…": "...",
};

function foldCharacters(line: string): string {
  return line
    .replace(/[‘’“”‚„«»‐‑–—−…]/g, (character) => lookalikes[character] ?? character)
    .normalize("NFKC")
    .replace(/\s+|\p{Default_Ignorable_Code_Point}+/gu, "");
}

/** Returns a sentence or two for the model; empty if nothing similar was found. */
export function editHint(text: string, oldString: string): string {
  const numbered = /^\s*\d+[\t→]/.test(oldString)
    ? " Leave out the line numbers and the tabs after them: they come from Read, not from the file."
    : "";
  const wanted = oldString.split("\n").find((line) => line.trim() !== "");
  if (wanted === undefined) return " old_string is only whitespace: include some text around it.";
  if (wanted.length > maxLineLength) return numbered;
  const lines = text.split("\n");
  const likes = likenesses.map((likeness) => ({ ...likeness, foldedAt: foldLazily(lines, likeness.fold) }));
  const like = similarBlockHint(lines, oldString.split("\n"), likes);
  if (like !== undefined) return numbered + like;
  if (oldString.endsWith("\n") && text.endsWith(oldString.replace(/\r?\n$/, "")))
    return `${numbered} The file ends with this text but has no line end after it: leave out the last line end of old_string.`;
  if (lines.some((line) => stripCr(line) === stripCr(wanted)) || text.includes(wanted)) {
    const at = lines.findIndex((line) => line.includes(stripCr(wanted)));
    return `${numbered} Its first line is there (line ${at + 1}), but what follows differs: read the place again.`;
  }
  for (const { what, fold, foldedAt } of likes) {
    const folded = fold(stripCr(wanted));
    if (folded === "") continue;
    const at = lines.findIndex((_, index) => foldedAt(index) === folded);
    if (at !== -1) return numbered + differenceHint(at, what, lines[at] ?? "", wanted);
  }
  const part = similarPartHint(lines, stripCr(wanted), likes);
  if (part !== undefined) return numbered + part;
  const escaped = /\\[nt"']/.test(oldString)
    ? " It contains backslash escapes: give the characters themselves unless the file has backslashes."
    : "";
  return numbered + escaped;
}

interface FoldedLikeness extends Likeness {
  /** The folded line; undefined if the line is not compared. */
  foldedAt: (index: number) => string | undefined;
}

/** Folds each line at most once: in a large file most lines are asked for several times. */
function foldLazily(lines: readonly string[], fold: Likeness["fold"]): FoldedLikeness["foldedAt"] {
  const known: string[] = [];
  return (index) => {
    const line = lines[index];
    if (line === undefined || line.length > maxLineLength) return undefined;
    return (known[index] ??= fold(line));
  };
}

/** The most places of a matching first line that are examined further. */
const mostPlaces = 50;

/** Returns a hint if the whole block is in the file except for such a difference; it names the first line that differs. */
function similarBlockHint(
  lines: readonly string[],
  wanted: readonly string[],
  likes: readonly FoldedLikeness[],
): string | undefined {
  if (wanted.length < 2 || wanted[0]?.trim() === "") return undefined;
  for (const { what, fold, foldedAt } of likes) {
    const folded = wanted.map((line) => fold(stripCr(line)));
    const isLike = (at: number, index: number): boolean => foldedAt(at + index) === folded[index];
    let places = 0;
    for (let at = 0; at < lines.length && places < mostPlaces; at++) {
      if (!isLike(at, 0)) continue;
      places++;
      if (!folded.every((_, index) => isLike(at, index))) continue;
      const off = wanted.findIndex((line, index) => stripCr(lines[at + index] ?? "") !== stripCr(line));
      if (off !== -1) return differenceHint(at + off, what, lines[at + off] ?? "", wanted[off] ?? "");
    }
  }
  return undefined;
}

/** Shorter parts are not searched for: they would match unrelated text. */
const minPartLength = 8;

/** Returns a hint if the text is part of a longer line (such as a sentence of a paragraph) except for such a difference. */
function similarPartHint(
  lines: readonly string[],
  wanted: string,
  likes: readonly FoldedLikeness[],
): string | undefined {
  for (const { what, fold, foldedAt } of likes) {
    const folded = fold(wanted);
    if (folded.length < minPartLength) continue;
    const isLike = (text: string): boolean => fold(text).includes(folded);
    const at = lines.findIndex((_, index) => foldedAt(index)?.includes(folded) === true);
    const line = lines[at];
    if (line !== undefined) return differenceHint(at, what, matchingPart(line, isLike), wanted);
  }
  return undefined;
}

/** Returns the last part of the line that still matches, with nothing around it. */
function matchingPart(line: string, isLike: (text: string) => boolean): string {
  const start = largestWhere(line.length, (at) => isLike(line.slice(at)));
  const tail = line.slice(start);
  return tail.slice(0, tail.length - largestWhere(tail.length, (less) => isLike(tail.slice(0, tail.length - less))));
}

/** The largest number up to `limit` for which `holds` is true, assuming that it is true for 0 and for every number below that. */
function largestWhere(limit: number, holds: (number: number) => boolean): number {
  let good = 0;
  let bad = limit + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1;
    if (holds(middle)) good = middle;
    else bad = middle;
  }
  return good;
}

/** Line ends do not count as a difference: Edit matches CRLF with LF. */
function differenceHint(at: number, what: string, there: string, wanted: string): string {
  const spelled = what === lookalikeDescription ? /[^\x20-\x7e]/g : /(?! )\s/g;
  const [file, old] = [stripCr(there), stripCr(wanted)];
  const same = sharedLength(file, old);
  const from = same < shownLineLength - shownContext ? 0 : same - shownContext;
  return ` Line ${at + 1} differs only in ${what}:\n  the file:   ${quote(file, from, spelled)}\n  old_string: ${quote(old, from, spelled)}`;
}

function stripCr(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

/** Quotes a part of a line, with unusual whitespace escaped; if characters differ, everything outside ASCII is escaped instead. */
function quote(line: string, from: number, spelled: RegExp): string {
  const json = JSON.stringify(line.slice(from, from + shownLineLength));
  const escaped = json.replace(spelled, escapeCharacter);
  return from === 0 ? escaped : `… ${escaped}`;
}
