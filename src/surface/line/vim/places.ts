/** Computes the places of Vim's motions, in UTF-16 units of a text. */
import { clusterLeft, clusterRight, lineEnd, lineStart } from "../motion.ts";

export interface Range {
  from: number;
  to: number;
}

export interface Motion {
  to: number;
  /**
   * What an operator takes: `before` excludes the character at `to`, and a line end before that; `end` excludes only the character;
   * `on` includes it; `line` takes whole lines.
   */
  takes: "before" | "end" | "on" | "line";
}

export type CharacterClass = "end" | "blank" | "word" | "mark";

const word = /^[\p{L}\p{N}\p{M}_\u200d]$/u;

/** `isBig`: every non-blank belongs to a word. Both halves of a surrogate pair have the same class. */
export function classAt(text: string, at: number, isBig: boolean): CharacterClass | undefined {
  const unit = text.charCodeAt(at);
  const isHalf = unit >= 0xdc00 && unit <= 0xdfff;
  const point = text.codePointAt(isHalf ? at - 1 : at);
  if (point === undefined) return undefined;
  const character = String.fromCodePoint(point);
  if (character === "\n") return "end";
  if (/^\s$/u.test(character)) return "blank";
  return isBig || word.test(character) ? "word" : "mark";
}

const isBlankOrEnd = (kind: CharacterClass | undefined): boolean => kind === "blank" || kind === "end";

/** Returns whether the place is an empty line, which counts as a word between words. */
function isEmptyLine(text: string, at: number): boolean {
  return (at === 0 || text[at - 1] === "\n") && (at === text.length || text[at] === "\n");
}

export function nextWordStart(text: string, from: number, isBig: boolean): number {
  let at = from;
  const startClass = classAt(text, at, isBig);
  while (at < text.length && !isBlankOrEnd(startClass) && classAt(text, at, isBig) === startClass) at += 1;
  while (at < text.length && isBlankOrEnd(classAt(text, at, isBig)) && (at === from || !isEmptyLine(text, at))) at += 1;
  return at;
}

/** Returns the place of the last character of a word. */
export function nextWordEnd(text: string, from: number, isBig: boolean): number {
  let at = clusterRight(text, from);
  while (at < text.length && isBlankOrEnd(classAt(text, at, isBig))) at += 1;
  const kind = classAt(text, at, isBig);
  if (kind === undefined) return text.length;
  while (classAt(text, at + 1, isBig) === kind) at += 1;
  return clusterLeft(text, at + 1);
}

/** Returns the end of the nth word, counting the word at `from` as the first. */
export function wordEndFrom(text: string, from: number, isBig: boolean, count: number): number {
  let at = from;
  while (classAt(text, at + 1, isBig) === classAt(text, from, isBig)) at += 1;
  at = clusterLeft(text, at + 1);
  for (let left = count; left > 1; left -= 1) at = nextWordEnd(text, at, isBig);
  return at;
}

export function previousWordStart(text: string, from: number, isBig: boolean): number {
  let at = from;
  while (at > 0 && isBlankOrEnd(classAt(text, at - 1, isBig))) {
    at -= 1;
    if (isEmptyLine(text, at)) return at;
  }
  const kind = classAt(text, at - 1, isBig);
  while (at > 0 && classAt(text, at - 1, isBig) === kind) at -= 1;
  return at;
}

/** Returns the place of the last character of the previous word. */
export function previousWordEnd(text: string, from: number, isBig: boolean): number {
  let at = from;
  const startClass = classAt(text, at, isBig);
  while (at > 0 && !isBlankOrEnd(startClass) && classAt(text, at, isBig) === startClass) at -= 1;
  while (at > 0 && (at === text.length || isBlankOrEnd(classAt(text, at, isBig)))) {
    if (at !== from && isEmptyLine(text, at)) return at;
    at -= 1;
  }
  return clusterLeft(text, at + 1);
}

export function firstNonBlank(text: string, at: number): number {
  const start = lineStart(text, at);
  return start + (/^[^\S\n]*/u.exec(text.slice(start))?.[0].length ?? 0);
}

/** Returns the start of the nth line, counting the line at `from` as the first; of the last line if there are fewer. */
export function nthLineStart(text: string, number: number, from = 0): number {
  let at = from;
  for (let line = 1; line < number; line += 1) {
    const end = lineEnd(text, at);
    if (end === text.length) break;
    at = end + 1;
  }
  return at;
}

export interface CharSearch {
  kind: "f" | "F" | "t" | "T";
  character: string;
}

/** Returns the nth such character of the line, or undefined. `isAgain`: for `t` and `T`, skip the one next to the cursor. */
export function findCharInLine(
  text: string,
  from: number,
  { kind, character }: CharSearch,
  { count, isAgain }: { count: number; isAgain: boolean },
): number | undefined {
  const isBack = kind === "F" || kind === "T";
  const isTill = kind === "t" || kind === "T";
  let at = from + (isTill && isAgain ? (isBack ? -1 : 1) : 0);
  for (let left = count; left > 0; left -= 1) {
    at = isBack ? (at <= 0 ? -1 : text.lastIndexOf(character, at - 1)) : text.indexOf(character, at + 1);
    if (at < lineStart(text, from) || at >= lineEnd(text, from)) return undefined;
  }
  if (!isTill) return at;
  return isBack ? at + character.length : clusterLeft(text, at);
}
