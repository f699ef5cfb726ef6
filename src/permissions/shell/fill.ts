/** Fills in variables of a word with what the line itself says of them, and expands its braces: every word it may become. */
import { printedTextAt } from "./printed-text.ts";
import type { Word } from "./text.ts";

/** Stands in a text for an unknown part: any characters, or none. */
export const hole = "\u{e001}";

/** The same for input that a program reads and uses in place of a word. */
export const inputHole = "\u{e002}";
const holes = /[\u{e001}\u{e002}]/u;

export function hasHole(text: string): boolean {
  return holes.test(text);
}

export function withoutHoles(text: string): string {
  return text.replace(/[\u{e001}\u{e002}]/gu, "");
}

/** The values a variable may hold; undefined if they cannot be determined. */
export type ValueOf = (name: string) => readonly string[] | undefined;

/** Names that no variable has, for the output of some programs. */
export const outputNames = { top: "git top", temporary: "new temporary file", number: "some number" };
export const maxAlternatives = 64;
/** Longer values than a program can be given as one argument make the check fail, and so the call: doubled often enough, they would fill the memory. */
const maxValueLength = 131_072;
/** Each step expands a pair of braces in one alternative, or finds that none is left. A word that needs more steps is not expanded. */
const maxBraceSteps = 500;
const numericVariable = /^(?:[?#$!]|RANDOM|SECONDS|LINENO|UID|EUID|PPID|#\w+)$/u;
/** Substitutions whose output cannot be a folder or lead to one. */
const harmlessSubstitution = /^\$\((?:date|nproc|wc|uname|whoami|id|hostname)\b[^$()`<>|;&/]*\)$/u;
const temporaryFile = /^\$\(mktemp(?: -[dqu]+)*\)$/u;
const arithmeticForm = /^\$\(\([\w\s+*/%()$-]+\)\)$/u;

/** The end of the expansion that begins at `start`. */
function expansionEnd(text: string, start: number): number {
  const next = text.charAt(start + 1);
  if (text.charAt(start) === "`") {
    const end = text.indexOf("`", start + 1);
    return end < 0 ? text.length : end + 1;
  }
  if (next !== "(" && next !== "{")
    return start + 1 + (/^(?:\w+|[@*#?!$-])/u.exec(text.slice(start + 1))?.[0].length ?? 0);
  const [open, close] = next === "(" ? ["(", ")"] : ["{", "}"];
  let depth = 0;
  for (let at = start + 1; at < text.length; at += 1) {
    if (text.charAt(at) === open) depth += 1;
    else if (text.charAt(at) === close) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

/** The texts that one expansion may produce. */
function valuesOf(source: string, valueOf: ValueOf): readonly string[] {
  const name = /^\$(?:\{((?:[^{}]|\$\{\w+\})+)\}|(\w+|[@*#?!$-]))$/u.exec(source);
  // A subscript may select any element of the list.
  const variable = (name?.[1] ?? name?.[2])?.replace(/\[[^\]]*\]$/u, "");
  const [, first = "", sign, other = ""] =
    /^(\w+|[@*])(?:\[[^\]]*\])?:?([-=+?])((?:[^$`]|\$\w+|\$\{\w+\})*)$/u.exec(variable ?? "") ?? [];
  if (sign === "?") {
    // If it is empty, the shell exits at this point.
    const nonEmptyValues = valueOf(first)?.filter((value) => value !== "") ?? [];
    return nonEmptyValues.length > 0 ? nonEmptyValues : [hole];
  }
  if (sign !== undefined) {
    const text = other.replace(/["']/gu, "");
    const others = filledTexts({ text, known: 0, unsure: "value", tail: text.length }, valueOf);
    const all = /[$`]/u.test(text) ? others : [text];
    // Inside other quotes, a backslash is kept.
    const escaped = text.includes("\\") ? all.map((each) => each.replace(/\\([^])/gu, "$1")) : [];
    return [...(sign === "+" ? [""] : (valueOf(first) ?? [hole])), ...all, ...escaped];
  }
  if (variable !== undefined) return valueOf(variable) ?? [numericVariable.test(variable) ? "0" : hole];
  if (arithmeticForm.test(source)) return ["0"];
  if (temporaryFile.test(source)) return valueOf(outputNames.temporary) ?? [hole];
  if (harmlessSubstitution.test(source)) return valueOf(outputNames.number) ?? [hole];
  const command = /^(?:\$\(|`)(pwd|git rev-parse --show-toplevel)[)`]$/u.exec(source)?.[1];
  if (command === undefined || valueOf(outputNames.number) === undefined) return [hole];
  return valueOf(command === "pwd" ? "PWD" : outputNames.top) ?? [hole];
}

/** Every text the word may be with its expansions filled in. Beyond the limit, an expansion becomes a hole. */
function filledTexts({ text, known, tail = 0, unsure }: Word, valueOf: ValueOf): string[] {
  if (unsure === "value" && !/[$`]/u.test(text.slice(known, tail)))
    return [text.slice(0, known) + inputHole + text.slice(tail)];
  if (text === "{}") return [inputHole];
  let texts = [text.slice(0, known)];
  const end = Math.max(tail, unsure === "files" ? text.length : 0);
  for (let at = known; at < text.length;) {
    const character = text.charAt(at);
    const isExpansion =
      at < end && (character === "`" || (character === "$" && /[\w({@*#?!$-]/u.test(text.charAt(at + 1))));
    const printedText = isExpansion ? printedTextAt(text, at) : undefined;
    const next = printedText?.end ?? (isExpansion ? expansionEnd(text, at) : at + 1);
    // Or anything else, since programs of the line's own may have the names of those that print.
    const output = printedText === undefined ? undefined : [printedText.text, hole];
    const found = output ?? (isExpansion ? valuesOf(text.slice(at, next), valueOf) : [character]);
    if (found.some(({ length }) => length > maxValueLength))
      throw new Error("a value in the command is too long to be followed");
    const values = texts.length * found.length > maxAlternatives ? [hole] : found;
    texts = texts.flatMap((before) => values.map((value) => before + value));
    at = next;
  }
  return texts;
}

/** Expands `a{b,c}d` to `abd` and `acd`, in this order. A pair without a comma stays; a sequence, or too many words, becomes a hole. */
export function withoutBraces(text: string): string[] {
  let open = [text];
  const done: string[] = [];
  let steps = 0;
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    steps += 1;
    if (steps > maxBraceSteps) return [hole];
    const found = firstBraces(each);
    if (found === undefined) {
      done.push(each);
      continue;
    }
    if (found === "odd" || open.length + done.length + found.parts.length > maxAlternatives) return [hole];
    const [before, after] = [each.slice(0, found.start), each.slice(found.end)];
    open = [...open, ...found.parts.map((part) => before + part + after).toReversed()];
  }
  return done;
}

interface Braces {
  start: number;
  end: number;
  parts: string[];
}

/** Nobody nests pairs more deeply in a text for people. */
const maxBraceDepth = 64;

/** The first pair of braces to expand, with its parts. `odd`: bash may end it elsewhere, as in `{a},b}`, or nesting is too deep. */
function firstBraces(text: string): Braces | "odd" | undefined {
  const opened: { start: number; commas: number[] }[] = [];
  let first: { start: number; end: number; commas: number[] } | undefined;
  let isClosed = false;
  let hasComma = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === "{") {
      if (opened.length >= maxBraceDepth) return "odd";
      opened.push({ start: at, commas: [] });
    } else if (character === ",") {
      opened.at(-1)?.commas.push(at);
      hasComma ||= isClosed;
    } else if (character === "}") {
      const pair = opened.pop();
      if (pair === undefined && hasComma) return "odd";
      if (pair === undefined) continue;
      const { start, commas } = pair;
      const isTaken = commas.length > 0 || sequenceForm.test(text.slice(start + 1, at));
      isClosed ||= !isTaken;
      if (!isTaken || start > (first?.start ?? at)) continue;
      first = { start, end: at, commas };
      if (opened.length === 0 && !isClosed) break;
    }
  }
  if (first === undefined) return undefined;
  const { start, end, commas } = first;
  const ends = [...commas, end];
  const parts = ends.map((each, index) => text.slice((ends[index - 1] ?? start) + 1, each));
  return { start, end: end + 1, parts: commas.length > 0 ? parts : [hole] };
}

const sequenceForm = /^[\w-]+\.\.[\w-]+/u;

/** Resolves a leading tilde: home, `~+` if the line says where that is, or a hole for other users' homes and `~-`. */
function resolveTilde({ text, ...word }: Word, valueOf: ValueOf): Word[] {
  const [begin = "", name = ""] = /^~([^/]*)/u.exec(text) ?? [];
  const value = name === "" ? valueOf("HOME") : name === "+" ? valueOf("PWD") : undefined;
  return (value ?? [hole]).map((place): Word => {
    const whole = place + text.slice(begin.length);
    if (hasHole(place)) return { text: whole, known: 0, unsure: "value", tail: place.length };
    const added = place.length - begin.length;
    const known = word.known + added;
    return word.unsure === undefined
      ? { text: whole, known }
      : { ...word, text: whole, known, tail: (word.tail ?? 0) + added };
  });
}

/** Every list of words that the word may become: an unquoted variable may hold several words, and globs. */
export function fillWordForms(written: Word, valueOf: ValueOf): Word[][] {
  const isFromHome = written.text.startsWith("~") && written.known > 0;
  return (isFromHome ? resolveTilde(written, valueOf) : [written]).flatMap((word) => expandWord(word, valueOf));
}

function expandWord(word: Word, valueOf: ValueOf): Word[][] {
  if (word.unsure === undefined || hasHole(word.text)) return [[word]];
  const filled = filledTexts(word, valueOf);
  const spread = filled.flatMap((text): string[][] => {
    const braced = word.unsure === "words" && word.text.charAt(word.known) === "{" ? withoutBraces(text) : [text];
    const parts = word.unsure === "words" && /\s/u.test(text) ? text.split(/\s+/u).filter((part) => part !== "") : [];
    return parts.length > 0 ? [parts, [text]] : [braced];
  });
  return spread.map((texts) => texts.map((text) => toWord(text)));
}

function toWord(text: string): Word {
  const open = text.search(holes);
  // A loop's word may be a glob, whether or not the variable is quoted.
  const finds = /[*?[]/u.test(text);
  const known = open >= 0 ? open : finds ? text.search(/[*?[]/u) : text.length;
  if (known === text.length) return { text, known };
  return { text, known, unsure: open >= 0 ? "value" : "files", tail: text.length };
}
