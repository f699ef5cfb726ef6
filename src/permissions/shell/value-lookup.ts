/**
 * Determines which of the values that a line gives a variable one after another may apply at one of its commands. Those apply that are
 * given before it, or anywhere in its branch or loop, except those that a plain assignment at the top level replaced.
 */
import { memoize } from "../../lib/memoize.ts";
import { fillWordForms, hasHole, hole, maxAlternatives, withoutHoles, type ValueOf } from "./fill.ts";
import { wordFrom, joinTexts, type LexedCommand, type Word } from "./text.ts";
import { keywords } from "./wrappers.ts";

const openingKeywords = new Set("if case while until for select {".split(" "));
const closingKeywords = new Set(["fi", "done", "esac", "}"]);
/** With these, commands elsewhere may be called, or a value may not change. */
const reorderingWords = new Set("function trap alias readonly declare typeset local coproc".split(" "));

/** What a variable may hold, and whether it certainly holds one of these values. */
export interface PossibleValues {
  values: readonly string[] | undefined;
  isSet: boolean;
}

interface LineState {
  rawCommands: readonly LexedCommand[];
  knownValues: ValueOf;
  /** For each command: the number of branches and loops it opens, minus those it closes. */
  depths: readonly number[];
  /** The commands that certainly run, in the shell itself, once the line reaches them. */
  sure: ReadonlySet<LexedCommand>;
}

/** `knownValues`: everything that the line says of a variable. It is the result if the line may not run in the order it is written. */
export function createValueLookup(
  rawCommands: readonly LexedCommand[],
  source: string,
  knownValues: ValueOf,
): (program: Word | undefined) => (name: string) => PossibleValues {
  const isOrdered = !mayRunOutOfOrder(rawCommands, source);
  const line: LineState = {
    rawCommands,
    knownValues,
    depths: rawCommands.map(nestingChange),
    sure: certainCommands(rawCommands),
  };
  // Cached, since each word of a long line may ask for the same.
  const places = new Map(rawCommands.flatMap(({ words }, at) => words.map((word) => [word, at])));
  const assignmentIndex = lazily(() => indexAssignments(rawCommands));
  const isOdd = lazily(() => createOddNameTest(source));
  const turns = lazily(() => turningPoints(line.depths));
  const historyOf = memoize((name) =>
    /^[A-Za-z_]\w*$/u.test(name) && !isOdd()(name)
      ? createHistory(assignmentIndex().get(name) ?? new Map(), turns())
      : undefined,
  );
  return (program) => {
    const place = program === undefined ? undefined : places.get(program);
    const isInOrder = isOrdered && place !== undefined && rawCommands[place]?.before !== undefined;
    return memoize((name) => {
      const history = isInOrder ? historyOf(name) : undefined;
      const found = history === undefined ? undefined : valuesAtCommand(name, place ?? 0, history, line);
      return found ?? { values: knownValues(name), isSet: false };
    });
  };
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function mayRunOutOfOrder(written: readonly LexedCommand[], source: string): boolean {
  // A function's name is in front of `()`, and its first command after it, possibly on another line.
  const hasFunction = /\(\s*\)/u.test(source) && written.some(({ before = "" }) => before.includes("()"));
  return hasFunction || written.some(({ words }) => words.some(({ text }) => reorderingWords.has(text)));
}

/** The commands that certainly run once the line reaches them. If only `&&` joins them, all count: where one runs, all before it have. */
function certainCommands(written: readonly LexedCommand[]): Set<LexedCommand> {
  const own = written.filter(({ before = "$" }) => !before.includes("$"));
  const isInside = ({ before = "" }: LexedCommand): boolean => /^\((?!\))/u.test(before);
  const gaps = own.map(({ before = "" }) => before.replace(/^\((?!\))|\(\)/gu, "").replace(/(&&|\|\|?)\n+/gu, "$1"));
  const isChain = own.every((command, at) => isInside(command) || /^(?:&&)*$/u.test(gaps[at] ?? ""));
  const plain = isChain ? /^(?:&&)*$/u : /^[;\n]*$/u;
  const isPlain = (at: number): boolean => plain.test(gaps[at] ?? "");
  return new Set(own.filter((command, at) => !isInside(command) && isPlain(at) && isPlain(at + 1)));
}

/**
 * Lists, their elements, and assignments inside expansions are not followed. Returns a function that tells whether the line uses a name like
 * that. The names are collected once: searching a long line for each of its many names would take long.
 */
function createOddNameTest(source: string): (name: string) => boolean {
  const lists = new Set([...source.matchAll(/\b(\w+)(?:\[|\+?=\()/gu)].map(([, name]) => name));
  const assigned = namesAssignedInBraces(source).toSorted();
  return (name) => {
    if (lists.has(name)) return true;
    // A name that begins with this one is the first that is not smaller.
    let [low, high] = [0, assigned.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((assigned[middle] ?? "") < name) low = middle + 1;
      else high = middle;
    }
    return assigned[low]?.startsWith(name) === true;
  };
}

/** The names after `${` or `${!` for which a `=` follows before the brace is closed. */
function namesAssignedInBraces(source: string): string[] {
  const names: string[] = [];
  const nameForm = /!?([A-Za-z_]\w*)/uy;
  let hasEqual = false;
  for (let at = source.length - 1; at >= 0; at -= 1) {
    const character = source.charAt(at);
    if (character === "}") hasEqual = false;
    else if (character === "=") hasEqual = true;
    else if (character === "$" && hasEqual && source.charAt(at + 1) === "{") {
      nameForm.lastIndex = at + 2;
      const name = nameForm.exec(source)?.[1];
      if (name !== undefined) names.push(name);
    }
  }
  return names;
}

/** The commands at which something about a variable may change, in order, and how far its values have been followed. */
interface History {
  assignments: ReadonlyMap<number, Assignment[]>;
  points: readonly number[];
  followed: Followed;
}

/** The values before a command at which something may change, and before the branch or loop it is in. */
interface Followed {
  /** The index of the command's point. */
  next: number;
  /** The index of the command. */
  place: number;
  values: readonly string[];
  isSet: boolean;
  outside: { values: readonly string[]; isSet: boolean };
  isFound: boolean;
  depth: number;
}

const nothing = { values: [], isSet: false };
const nothingFollowed: Followed = { next: 0, place: -1, ...nothing, outside: nothing, isFound: false, depth: 0 };

function createHistory(assignments: ReadonlyMap<number, Assignment[]>, turns: readonly number[]): History {
  const points = [...new Set([...assignments.keys(), ...turns])].toSorted((one, other) => one - other);
  return { assignments, points, followed: nothingFollowed };
}

/** The commands that open or close a branch or loop, and those after them, where the values that these leave behind are counted. */
function turningPoints(depths: readonly number[]): number[] {
  return depths.flatMap((depth, at) => (depth === 0 ? [] : [at, at + 1])).filter((at) => at < depths.length);
}

/** Undefined if the line does not set the variable, or sets it in a way that is not followed. */
function valuesAtCommand(
  name: string,
  place: number,
  history: History,
  { rawCommands, knownValues, depths, sure }: LineState,
): PossibleValues | undefined {
  const start = history.followed.place <= place ? history.followed : nothingFollowed;
  let { values, isSet, outside, isFound, depth, next } = start;
  for (; next < history.points.length; next += 1) {
    const at = history.points[next] ?? 0;
    const command = rawCommands[at];
    if (command === undefined || (at > place && depth === 0)) break;
    if (at <= place) history.followed = { next, place: at, values, isSet, outside, isFound, depth };
    const before = { values, isSet };
    const assignments = history.assignments.get(at) ?? [];
    if (assignments.length > 0) {
      isFound = true;
      const assigned: string[] = assignments.flatMap((each) => assignedValues(each, name, before.values, knownValues));
      const isLoop = assignments.every(({ adds }) => adds === undefined);
      const ends: boolean =
        depth === 0 && (isLoop || (sure.has(command) && onlyAssigns(command) && !assigned.some(isUnknownValue)));
      values = [...new Set(ends ? assigned : [...values, ...assigned])];
      isSet = (isSet || ends) && assignments.every(({ value }) => isFixedValue(value));
    }
    if (values.length > maxAlternatives) return undefined;
    if (command.before === undefined) continue;
    if (depth === 0) outside = before;
    const deeper = depths[at] ?? 0;
    depth += deeper;
    if (depth < 0) return undefined;
    // A loop may run zero times.
    if (depth > 0 || deeper >= 0 || at > place) continue;
    values = [...new Set([...outside.values, ...values])];
    isSet &&= outside.isSet;
  }
  if (!isFound) return undefined;
  const found = values.map((text) => (hasHole(text) ? hole : text));
  const isKnown = ![...found, ...(knownValues(name) ?? [])].some(hasHole);
  return { values: found.length > 0 ? found : undefined, isSet: isSet && isKnown };
}

/** `adds`: an assignment that appends to the old value. Absent for a loop. */
interface Assignment {
  value: Word;
  adds?: boolean;
}

/** Everything that looks like it sets a variable: by name, and by the index of the command. */
function indexAssignments(rawCommands: readonly LexedCommand[]): Map<string, Map<number, Assignment[]>> {
  const index = new Map<string, Map<number, Assignment[]>>();
  const placesOf = (name: string): Map<number, Assignment[]> => {
    const own = index.get(name) ?? new Map<number, Assignment[]>();
    index.set(name, own);
    return own;
  };
  for (const [at, { words }] of rawCommands.entries()) {
    const start = words.findIndex(({ text }) => !keywords.has(text));
    const [program, variable] = start < 0 ? [] : words.slice(start, start + 2);
    const looped = program?.text === "for" ? variable?.text : undefined;
    if (looped !== undefined) {
      const values = words.slice(start + 3).map((value) => ({ value }));
      placesOf(looped).set(at, values);
    }
    for (const word of words) {
      const [begin = "", name, adds] = /^([A-Za-z_]\w*)(\+?)=/u.exec(word.text) ?? [];
      if (name === undefined || name === looped) continue;
      const value = wordFrom(word, begin.length);
      const assigned = value.unsure === undefined ? value : { ...value, unsure: "value" as const };
      const places = placesOf(name);
      const before = places.get(at) ?? [];
      before.push({ value: assigned, adds: adds === "+" });
      places.set(at, before);
    }
  }
  return index;
}

function onlyAssigns({ words, redirects }: LexedCommand): boolean {
  const rest = words[0]?.text === "export" ? words.slice(1) : words;
  return redirects.length === 0 && rest.every(({ text }) => /^\w+\+?=/u.test(text));
}

/** Whether nothing is known of the value, so that an earlier value may be the same. */
function isUnknownValue(text: string): boolean {
  return hasHole(text) && /^[./]*$/u.test(withoutHoles(text));
}

/** Whether the value holds no program's output and no variable that may be empty. */
function isFixedValue({ text, unsure }: Word): boolean {
  return unsure === undefined || !/[$`]/u.test(text.replace(/\$(?:(?:HOME|PWD)\b|\{(?:HOME|PWD)\})/gu, ""));
}

function nestingChange({ words }: LexedCommand): number {
  let depth = 0;
  for (const { text } of words) {
    if (openingKeywords.has(text)) depth += 1;
    else if (closingKeywords.has(text)) depth -= 1;
    else if (!keywords.has(text)) break;
  }
  return depth;
}

function assignedValues(
  { value, adds }: Assignment,
  name: string,
  before: readonly string[],
  knownValues: ValueOf,
): string[] {
  const known = before.length > 0 ? before : undefined;
  const texts = fillWordForms(value, (each) => (each === name ? known : knownValues(each))).map(joinTexts);
  // A variable without an earlier value may be empty.
  return adds === true ? (known ?? [hole, ""]).flatMap((first) => texts.map((text) => first + text)) : texts;
}
