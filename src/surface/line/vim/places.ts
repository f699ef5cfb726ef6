/** Computes the places of Vim's motions and objects, in UTF-16 units of a text. */
import { clusterLeft, clusterRight, lineEnd, lineStart } from "../motion.ts";

export interface Range {
  from: number;
  to: number;
}

type CharacterClass = "end" | "blank" | "word" | "mark";

const word = /^[\p{L}\p{N}\p{M}_\u200d]$/u;

/** `isBig`: every non-blank belongs to a word. Both halves of a surrogate pair have the same class. */
function classAt(text: string, at: number, isBig: boolean): CharacterClass | undefined {
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
  const begun = classAt(text, at, isBig);
  while (at < text.length && !isBlankOrEnd(begun) && classAt(text, at, isBig) === begun) at += 1;
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
  const begun = classAt(text, at, isBig);
  while (at > 0 && !isBlankOrEnd(begun) && classAt(text, at, isBig) === begun) at -= 1;
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

const brackets: Readonly<Record<string, readonly [string, string]>> = {
  "(": ["(", ")"],
  ")": ["(", ")"],
  b: ["(", ")"],
  "[": ["[", "]"],
  "]": ["[", "]"],
  "{": ["{", "}"],
  "}": ["{", "}"],
  B: ["{", "}"],
  "<": ["<", ">"],
  ">": ["<", ">"],
};

/** Returns the range of an object such as `iw` or `a"`, or of `count` of them; undefined if there are not so many. */
export function textObjectAt(text: string, at: number, name: string, count = 1): Range | undefined {
  const [isAround, kind] = [name.startsWith("a"), name.slice(1)];
  if (kind === "w" || kind === "W") return wordsAt(text, at, { isAround, isBig: kind === "W", count });
  if (kind === '"' || kind === "'" || kind === "`") return quotedRangeAt(text, at, isAround, kind);
  const pair = brackets[kind];
  if (pair === undefined) return undefined;
  let around = bracketRangeAt(text, at, pair);
  for (let left = count; left > 1 && around !== undefined; left -= 1)
    around = bracketRangeAt(text, around.from, pair, true);
  if (around === undefined || isAround) return around;
  return { from: around.from + 1, to: around.to - 1 };
}

/** Returns the range of consecutive words. `isAround`: with the blanks before the first if there are none after the last. */
function wordsAt(
  text: string,
  at: number,
  { isAround, isBig, count }: { isAround: boolean; isBig: boolean; count: number },
): Range | undefined {
  const first = wordAt(text, at, isAround, isBig);
  let last = first;
  for (let left = count; left > 1 && last !== undefined; left -= 1) last = wordAt(text, last.to, isAround, isBig);
  if (first === undefined || last === undefined) return undefined;
  const isOpen = isAround && last !== first && classAt(text, last.to - 1, isBig) !== "blank";
  return { from: isOpen ? beforeBlanks(text, first.from) : first.from, to: last.to };
}

/** Returns the place before the blanks. An indent is not included. */
function beforeBlanks(text: string, at: number): number {
  let from = at;
  while (classAt(text, from - 1, true) === "blank") from -= 1;
  return from === 0 || text[from - 1] === "\n" ? at : from;
}

function wordAt(text: string, at: number, isAround: boolean, isBig: boolean): Range | undefined {
  const kind = classAt(text, at, isBig);
  if (kind === undefined || kind === "end") return undefined;
  const run = (start: number, of: CharacterClass): Range => {
    let [from, to] = [start, start];
    while (classAt(text, from - 1, isBig) === of) from -= 1;
    while (classAt(text, to, isBig) === of) to += 1;
    return { from, to };
  };
  const own = run(at, kind);
  if (!isAround) return own;
  const next = classAt(text, own.to, isBig);
  if (kind === "blank") return next === undefined || next === "end" ? own : { ...own, to: run(own.to, next).to };
  if (next === "blank") return { ...own, to: run(own.to, "blank").to };
  return { ...own, from: beforeBlanks(text, own.from) };
}

function quotedRangeAt(text: string, at: number, isAround: boolean, quote: string): Range | undefined {
  const [start, end] = [lineStart(text, at), lineEnd(text, at)];
  const found: number[] = [];
  for (let place = start; place < end; place += 1)
    if (text[place] === "\\") place += 1;
    else if (text[place] === quote) found.push(place);
  for (let pair = 0; pair + 1 < found.length; pair += 2) {
    const [open = 0, close = 0] = found.slice(pair, pair + 2);
    if (close < at) continue;
    if (!isAround) return { from: open + 1, to: close };
    const behind = /^[^\S\n]*/u.exec(text.slice(close + 1, end))?.[0].length ?? 0;
    const before = behind > 0 ? 0 : (/[^\S\n]*$/u.exec(text.slice(start, open))?.[0].length ?? 0);
    return { from: open - before, to: close + 1 + behind };
  }
  return undefined;
}

/** Returns the range with its brackets. `isOuter`: ignore a bracket at `at`, and look for the enclosing pair. */
function bracketRangeAt(
  text: string,
  at: number,
  [open, close]: readonly [string, string],
  isOuter = false,
): Range | undefined {
  let from = text[at] === open && !isOuter ? at : at - 1;
  for (let depth = 0; from >= 0; from -= 1) {
    if (text[from] === close) depth += 1;
    else if (text[from] === open && --depth < 0) break;
  }
  if (from < 0) return undefined;
  let to = from + 1;
  for (let depth = 1; to < text.length; to += 1) {
    if (text[to] === open) depth += 1;
    else if (text[to] === close && --depth === 0) break;
  }
  return to >= text.length ? undefined : { from, to: to + 1 };
}

/** Returns the partner of the next bracket in the line. */
export function matchingBracket(text: string, at: number): number | undefined {
  const found = /[()[\]{}]/u.exec(text.slice(at, lineEnd(text, at)));
  if (found === null) return undefined;
  const place = at + found.index;
  const pair = brackets[found[0]];
  const range = pair === undefined ? undefined : bracketRangeAt(text, place, pair);
  if (range === undefined) return undefined;
  return place === range.from ? range.to - 1 : range.from;
}
