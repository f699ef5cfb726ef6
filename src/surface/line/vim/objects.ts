/** Computes the ranges of Vim's text objects, in UTF-16 units of a text. */
import { lineEnd, lineStart } from "../motion.ts";
import type { TakenRange } from "./edits.ts";
import { paragraphRangeAt } from "./paragraphs.ts";
import { classAt, type CharacterClass, type Range } from "./places.ts";

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
export function textObjectAt(text: string, at: number, name: string, count: number): TakenRange | undefined {
  const [isAround, kind] = [name.startsWith("a"), name.slice(1)];
  if (kind === "p") return paragraphRangeAt(text, at, isAround, count);
  const range = characterRangeAt(text, at, { isAround, kind, count });
  return range === undefined ? undefined : { ...range, isLines: false };
}

interface NamedObject {
  isAround: boolean;
  /** The letter after `i` or `a`. */
  kind: string;
  count: number;
}

function characterRangeAt(text: string, at: number, { isAround, kind, count }: NamedObject): Range | undefined {
  if (kind === "w" || kind === "W") return wordsAt(text, at, { isAround, isBig: kind === "W", count });
  if (kind === '"' || kind === "'" || kind === "`") return quotedRangeAt(text, at, isAround, kind);
  const pair = brackets[kind];
  if (pair === undefined) return undefined;
  let around = bracketRangeAt(text, at, pair) ?? nextBracketRange(text, at, pair);
  for (let left = count; left > 1 && around !== undefined; left -= 1)
    around = bracketRangeAt(text, around.from, pair, true);
  if (around === undefined || isAround) return around;
  return withinBrackets(text, around);
}

/** Outside of brackets, the next pair is meant. */
function nextBracketRange(text: string, at: number, pair: readonly [string, string]): Range | undefined {
  const [open, close] = pair.map((bracket) => text.indexOf(bracket, at));
  if (open === undefined || open === -1 || (close !== undefined && close < open)) return undefined;
  return bracketRangeAt(text, open, pair);
}

/** A line end after the first bracket, and the indent of the last one, are not inside. */
function withinBrackets(text: string, around: Range): Range {
  const close = around.to - 1;
  const from = around.from + (text[around.from + 1] === "\n" ? 2 : 1);
  const to = text.slice(lineStart(text, close), close).trim() === "" ? lineStart(text, close) : close;
  return { from, to: Math.max(from, to) };
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
  if (kind === undefined || kind === "end") return isAround ? undefined : { from: at, to: at };
  const run = (start: number, of: CharacterClass): Range => {
    let [from, to] = [start, start];
    while (classAt(text, from - 1, isBig) === of) from -= 1;
    while (classAt(text, to, isBig) === of) to += 1;
    return { from, to };
  };
  const own = run(at, kind);
  if (!isAround) return own;
  const next = classAt(text, own.to, isBig);
  if (kind === "blank") {
    if (next === undefined) return undefined;
    return next === "end" ? own : { ...own, to: run(own.to, next).to };
  }
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
