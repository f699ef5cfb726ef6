/**
 * Of the values that a line gives a variable one after another: which may count where one of its commands stands. Those count that are
 * given before it, or anywhere in the branch or loop around it, but for those that a plain assignment at the top of the line ended.
 */
import { filledWord, hasHole, hole, maxFilled, withoutHoles, type ValueOf } from "./fill.ts";
import { behindStart, joined, type LexedCommand, type Word } from "./text.ts";
import { keywords } from "./wrappers.ts";

const openers = new Set("if case while until for select {".split(" "));
const closers = new Set(["fi", "done", "esac", "}"]);
/** They may call what stands elsewhere, or keep a value from being changed. */
const disordering = new Set("function trap alias readonly declare typeset local coproc".split(" "));

/** What a variable may hold, and whether it surely holds one of these. */
export interface Found {
  values: readonly string[] | undefined;
  isSet: boolean;
}

interface Line {
  written: readonly LexedCommand[];
  told: ValueOf;
  /** How many branches and loops each of its commands opens, less those it ends. */
  depths: readonly number[];
  /** Those of its commands that surely run once the line comes there, in the shell itself. */
  sure: ReadonlySet<LexedCommand>;
}

/** `told`: all that the line says of a variable. It stays where the line may not run in the order in which it is written. */
export function valuesThere(
  written: readonly LexedCommand[],
  source: string,
  told: ValueOf,
): (program: Word | undefined) => (name: string) => Found {
  const isOrdered = !mayBeDisordered(written, source);
  const line: Line = { written, told, depths: written.map(depthOf), sure: sureCommands(written) };
  // Each word of a long line may ask for the same.
  const places = new Map(written.flatMap(({ words }, at) => words.map((word) => [word, at])));
  const settingsOf = cached((name) => (isFollowed(name, source) ? written.map(settings(name)) : undefined));
  return (program) => {
    const place = program === undefined ? undefined : places.get(program);
    const isInOrder = isOrdered && place !== undefined && written[place]?.before !== undefined;
    return cached((name) => {
      const given = isInOrder ? settingsOf(name) : undefined;
      const found = given === undefined ? undefined : valuesAt(name, place ?? 0, given, line);
      return found ?? { values: told(name), isSet: false };
    });
  };
}

function cached<T>(make: (name: string) => T): (name: string) => T {
  const made = new Map<string, { value: T }>();
  return (name) => {
    const own = made.get(name) ?? { value: make(name) };
    made.set(name, own);
    return own.value;
  };
}

function mayBeDisordered(written: readonly LexedCommand[], source: string): boolean {
  // A function's name stands in front of `()`, and its first command behind, maybe in another line.
  const hasFunction = /\(\s*\)/u.test(source) && written.some(({ before = "" }) => before.includes("()"));
  return hasFunction || written.some(({ words }) => words.some(({ text }) => disordering.has(text)));
}

/** In a line of nothing but `&&` each, as where one runs, all before it have. */
function sureCommands(written: readonly LexedCommand[]): Set<LexedCommand> {
  const own = written.filter(({ before = "$" }) => !before.includes("$"));
  const isInside = ({ before = "" }: LexedCommand): boolean => /^\((?!\))/u.test(before);
  const gaps = own.map(({ before = "" }) => before.replace(/^\((?!\))|\(\)/gu, "").replace(/(&&|\|\|?)\n+/gu, "$1"));
  const isChain = own.every((command, at) => isInside(command) || /^(?:&&)*$/u.test(gaps[at] ?? ""));
  const plain = isChain ? /^(?:&&)*$/u : /^[;\n]*$/u;
  const isPlain = (at: number): boolean => plain.test(gaps[at] ?? "");
  return new Set(own.filter((command, at) => !isInside(command) && isPlain(at) && isPlain(at + 1)));
}

/** A list, an element of one, and what is set where it is shown are not followed. */
function isFollowed(name: string, source: string): boolean {
  if (!/^[A-Za-z_]\w*$/u.test(name)) return false;
  const odd = new RegExp(String.raw`\b${name}(?:\[|\+?=\()|\$\{!?${name}[^}]*=`, "u");
  return !odd.test(source);
}

/** Undefined where the line does not set it, or so that it is not followed. */
function valuesAt(
  name: string,
  place: number,
  all: readonly Setting[][],
  { written, told, depths, sure }: Line,
): Found | undefined {
  let values: readonly string[] = [];
  let isSet = false;
  let outside = { values, isSet };
  let [isFound, depth] = [false, 0];
  for (const [at, command] of written.entries()) {
    if (at > place && depth === 0) break;
    const before = { values, isSet };
    const given = all[at] ?? [];
    if (given.length > 0) {
      isFound = true;
      const made: string[] = given.flatMap((each) => valuesOf(each, name, before.values, told));
      const isLoop = given.every(({ adds }) => adds === undefined);
      const ends: boolean = depth === 0 && (isLoop || (sure.has(command) && onlySets(command) && !made.some(isOpen)));
      values = [...new Set(ends ? made : [...values, ...made])];
      isSet = (isSet || ends) && given.every(({ value }) => isFixed(value));
    }
    if (values.length > maxFilled) return undefined;
    if (command.before === undefined) continue;
    if (depth === 0) outside = before;
    const deeper = depths[at] ?? 0;
    depth += deeper;
    if (depth < 0) return undefined;
    // A loop may go round for nothing.
    if (depth > 0 || deeper >= 0 || at > place) continue;
    values = [...new Set([...outside.values, ...values])];
    isSet &&= outside.isSet;
  }
  if (!isFound) return undefined;
  const found = values.map((text) => (hasHole(text) ? hole : text));
  const isKnown = ![...found, ...(told(name) ?? [])].some(hasHole);
  return { values: found.length > 0 ? found : undefined, isSet: isSet && isKnown };
}

/** `adds`: an assignment, of more to what is there. Absent in a loop. */
interface Setting {
  value: Word;
  adds?: boolean;
}

/** Whatever looks as if it set the variable. */
function settings(name: string): (command: LexedCommand) => Setting[] {
  const assigned = new RegExp(`^${name}(\\+?)=`, "u");
  return ({ words }) => {
    const start = words.findIndex(({ text }) => !keywords.has(text));
    const [program, variable] = start < 0 ? [] : words.slice(start, start + 2);
    if (program?.text === "for" && variable?.text === name) return words.slice(start + 3).map((value) => ({ value }));
    return words.flatMap((word): Setting[] => {
      const [begin, adds] = assigned.exec(word.text) ?? [];
      if (begin === undefined) return [];
      const value = behindStart(word, begin.length);
      return [{ value: value.unsure === undefined ? value : { ...value, unsure: "value" }, adds: adds === "+" }];
    });
  };
}

function onlySets({ words, redirects }: LexedCommand): boolean {
  const rest = words[0]?.text === "export" ? words.slice(1) : words;
  return redirects.length === 0 && rest.every(({ text }) => /^\w+\+?=/u.test(text));
}

/** Of such a value nothing is known: what was there before may be the same. */
function isOpen(text: string): boolean {
  return hasHole(text) && /^[./]*$/u.test(withoutHoles(text));
}

/** No program puts it out, and no variable that may be empty is in it. */
function isFixed({ text, unsure }: Word): boolean {
  return unsure === undefined || !/[$`]/u.test(text.replace(/\$(?:(?:HOME|PWD)\b|\{(?:HOME|PWD)\})/gu, ""));
}

function depthOf({ words }: LexedCommand): number {
  let depth = 0;
  for (const { text } of words) {
    if (openers.has(text)) depth += 1;
    else if (closers.has(text)) depth -= 1;
    else if (!keywords.has(text)) break;
  }
  return depth;
}

function valuesOf({ value, adds }: Setting, name: string, before: readonly string[], told: ValueOf): string[] {
  const known = before.length > 0 ? before : undefined;
  const texts = filledWord(value, (each) => (each === name ? known : told(each))).map(joined);
  // What nothing was given to may be empty.
  return adds === true ? (known ?? [hole, ""]).flatMap((first) => texts.map((text) => first + text)) : texts;
}
