/** How many columns text takes on a terminal: by what a person takes for one character, and by Unicode's widths of its parts. */
import { eastAsianWidth } from "get-east-asian-width";

let segmenter: Intl.Segmenter | undefined;

/** What is one character to a person: with its marks, joiners and skin tones, a flag's two halves. */
export function clusters(text: string): string[] {
  return Array.from(segments(text), ({ segment }) => segment);
}

function segments(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return segmenter.segment(text);
}

/** What is never parted by a row's end. */
export interface Cell {
  text: string;
  columns: number;
  /** Older terminals take each of its parts for a character of its own. */
  isDisputed: boolean;
}

/** Marks and format characters, the vowels and finals of Hangul that stand behind their beginning. */
const noColumn = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff\ud7b0-\ud7ff]$/u;
/** Without one of these each character is a cell of its own. */
const joins = /\u200d|\ufe0f|\p{Emoji_Modifier}|\p{Regional_Indicator}/u;
const toned = /^\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}/u;
const flag = /^\p{Regional_Indicator}{2}/u;
const drawn = /^\p{Emoji}\ufe0f/u;
const joinedEmoji = /^\p{Extended_Pictographic}.*\u200d/su;

/** Only emoji are made of several: other scripts are laid out by terminals character by character. */
export function cellsOf(text: string): Cell[] {
  return [...eachCell(text)];
}

/** One by one: of a line of a megabyte the first hundred are looked at. */
function* eachCell(text: string): Generator<Cell, void> {
  if (!joins.test(text)) for (const character of text) yield cellOf(character);
  else
    for (const { segment: cluster } of segments(text)) {
      const isEmoji = [drawn, joinedEmoji, toned, flag].some((form) => form.test(cluster));
      if (isEmoji) yield { text: cluster, columns: 2, isDisputed: true };
      else for (const character of cluster) yield cellOf(character);
    }
}

/** Its beginning, of at most so many columns; a cut is marked. No line ends. */
export function fitted(text: string, columns: number): string {
  let kept = "";
  /** With room for the mark. */
  let cut = "";
  let column = 0;
  for (const cell of eachCell(text)) {
    column += cell.columns;
    if (column > columns) return columns < 1 ? "" : `${cut}…`;
    kept += cell.text;
    if (column < columns) cut = kept;
  }
  return kept;
}

export function fits(text: string, columns: number): boolean {
  let column = 0;
  for (const cell of eachCell(text)) if ((column += cell.columns) > columns) return false;
  return column <= columns;
}

/** How many columns it takes. */
export function columnsOf(text: string): number {
  return cellsOf(text).reduce((sum, { columns }) => sum + columns, 0);
}

function cellOf(character: string): Cell {
  const columns = noColumn.test(character) ? 0 : eastAsianWidth(character.codePointAt(0) ?? 0);
  return { text: character, columns, isDisputed: false };
}
