/** Computes where a key moves the cursor. Places in a text are counted in UTF-16 units. */
import { clusters } from "./width.ts";

/** The longest character, in UTF-16 units, that is looked for at the cursor. */
const maxClusterLength = 64;

export function clusterLeft(text: string, at: number): number {
  const before = text.slice(Math.max(0, at - maxClusterLength), at);
  if (before.length < 2 || /[ -~\n][ -~]$/u.test(before)) return Math.max(0, at - 1);
  return at - (clusters(before).at(-1)?.length ?? 0);
}

export function clusterRight(text: string, at: number): number {
  const behind = text.slice(at, at + maxClusterLength);
  if (behind.length < 2 || /^[ -~\n][ -~]/u.test(behind)) return Math.min(text.length, at + 1);
  return at + (clusters(behind)[0]?.length ?? 0);
}

export function wordLeft(text: string, at: number): number {
  const blank = skipLeft(text, at, (character) => !isWordCharacter(character));
  return skipLeft(text, blank, isWordCharacter);
}

export function wordRight(text: string, at: number): number {
  const word = skipRight(text, at, (character) => !isWordCharacter(character));
  return skipRight(text, word, isWordCharacter);
}

/** Moves to the blank before, over a word as a shell splits words. */
export function blankLeft(text: string, at: number): number {
  return skipLeft(
    text,
    skipLeft(text, at, (character) => !isArgumentCharacter(character)),
    isArgumentCharacter,
  );
}

function isWordCharacter(character: string): boolean {
  return /^[\p{L}\p{N}\p{M}]$/u.test(character);
}

function isArgumentCharacter(character: string): boolean {
  return /^\S$/u.test(character);
}

function skipLeft(text: string, at: number, isSkipped: (character: string) => boolean): number {
  let to = at;
  while (to > 0) {
    const character = Array.from(text.slice(Math.max(0, to - 2), to)).at(-1) ?? "";
    if (!isSkipped(character)) break;
    to -= character.length;
  }
  return to;
}

function skipRight(text: string, at: number, isSkipped: (character: string) => boolean): number {
  let to = at;
  while (to < text.length) {
    const character = String.fromCodePoint(text.codePointAt(to) ?? 0);
    if (!isSkipped(character)) break;
    to += character.length;
  }
  return to;
}

export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

export function lineEnd(text: string, at: number): number {
  const found = text.indexOf("\n", at);
  return found === -1 ? text.length : found;
}

/** Returns the same column in the line above; undefined in the first line. */
export function lineUp(text: string, at: number, column: number): number | undefined {
  const start = lineStart(text, at);
  return start === 0 ? undefined : placeInLine(text, lineStart(text, start - 1), column);
}

/** Returns the same column in the line below; undefined in the last line. */
export function lineDown(text: string, at: number, column: number): number | undefined {
  const end = lineEnd(text, at);
  return end === text.length ? undefined : placeInLine(text, end + 1, column);
}

/** Returns the number of characters between the line's start and the place. */
export function columnOf(text: string, at: number): number {
  return clusters(text.slice(lineStart(text, at), at)).length;
}

/** Returns the place of a column, or the line's end if the line is shorter. `start` is the line's start. */
export function placeInLine(text: string, start: number, column: number): number {
  const line = text.slice(start, lineEnd(text, start));
  return start + clusters(line).slice(0, column).join("").length;
}
