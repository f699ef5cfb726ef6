/** How many columns text takes on a terminal: by what a person takes for one character, and by Unicode's widths of its parts. */
import { eastAsianWidth } from "get-east-asian-width";

let segmenter: Intl.Segmenter | undefined;

/** What is one character to a person: with its marks, joiners and skin tones, a flag's two halves. */
export function clusters(text: string): string[] {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
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
  if (!joins.test(text)) return Array.from(text, cellOf);
  return clusters(text).flatMap((cluster) => {
    const isEmoji = [drawn, joinedEmoji, toned, flag].some((form) => form.test(cluster));
    return isEmoji ? [{ text: cluster, columns: 2, isDisputed: true }] : Array.from(cluster, cellOf);
  });
}

/** Its beginning, of at most so many columns; a cut is marked. No line ends. */
export function fitted(text: string, columns: number): string {
  let kept = "";
  /** With room for the mark. */
  let cut = "";
  let column = 0;
  for (const cell of cellsOf(text)) {
    column += cell.columns;
    if (column > columns) return columns < 1 ? "" : `${cut}…`;
    kept += cell.text;
    if (column < columns) cut = kept;
  }
  return kept;
}

/** How many columns it takes. */
export function columnsOf(text: string): number {
  return cellsOf(text).reduce((sum, { columns }) => sum + columns, 0);
}

function cellOf(character: string): Cell {
  const columns = noColumn.test(character) ? 0 : eastAsianWidth(character.codePointAt(0) ?? 0);
  return { text: character, columns, isDisputed: false };
}
