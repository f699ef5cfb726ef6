/** Computes how many columns text takes on a terminal, from its grapheme clusters and the Unicode widths of their parts. */
import { eastAsianWidth } from "get-east-asian-width";

let segmenter: Intl.Segmenter | undefined;

/** Splits text into user-perceived characters: with marks, joiners and skin tones, and both halves of a flag. */
export function clusters(text: string): string[] {
  return Array.from(segments(text), ({ segment }) => segment);
}

function segments(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return segmenter.segment(text);
}

/** A unit that the end of a row never splits. */
export interface Cell {
  text: string;
  columns: number;
  /** Older terminals treat each of its parts as a separate character. */
  isDisputed: boolean;
}

/** Marks, format characters, and Hangul vowels and finals, which combine with the preceding initial. */
const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff\ud7b0-\ud7ff]$/u;
/** In text without any of these, each character is its own cell. */
const joinedCharacters = /\u200d|\ufe0f|\p{Emoji_Modifier}|\p{Regional_Indicator}/u;
const skinTonedEmoji = /^\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}/u;
const flagEmoji = /^\p{Regional_Indicator}{2}/u;
const emojiPresentation = /^\p{Emoji}\ufe0f/u;
const joinedEmoji = /^\p{Extended_Pictographic}.*\u200d/su;

/** Splits text into cells. Only emoji consist of several characters: terminals lay out other scripts character by character. */
export function cellsOf(text: string): Cell[] {
  return [...eachCell(text)];
}

/** A generator, so that of a very long line only the first cells are computed. */
function* eachCell(text: string): Generator<Cell, void> {
  if (!joinedCharacters.test(text)) for (const character of text) yield cellOf(character);
  else
    for (const { segment: cluster } of segments(text)) {
      const isEmoji = [emojiPresentation, joinedEmoji, skinTonedEmoji, flagEmoji].some((form) => form.test(cluster));
      if (isEmoji) yield { text: cluster, columns: 2, isDisputed: true };
      else for (const character of cluster) yield cellOf(character);
    }
}

/** Returns the beginning of the text that fits into `columns`, with a mark if it is cut. The text has no line ends. */
export function truncateToWidth(text: string, columns: number): string {
  let kept = "";
  /** The text with room for the mark. */
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

export function fitsWidth(text: string, columns: number): boolean {
  let column = 0;
  for (const cell of eachCell(text)) if ((column += cell.columns) > columns) return false;
  return column <= columns;
}

/** Returns how many columns the text takes. */
export function displayWidth(text: string): number {
  return cellsOf(text).reduce((sum, { columns }) => sum + columns, 0);
}

function cellOf(character: string): Cell {
  const columns = zeroWidth.test(character) ? 0 : eastAsianWidth(character.codePointAt(0) ?? 0);
  return { text: character, columns, isDisputed: false };
}
