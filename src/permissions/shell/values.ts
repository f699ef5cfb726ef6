/** What a command line says of its own variables, and its commands with these values filled in. */
import { repositoryAt } from "../git/git-tracked.ts";
import { fillWordForms, hasHole, hole, maxAlternatives, outputNames, type ValueOf } from "./fill.ts";
import { wordFrom, certainWord, joinTexts, type LexedCommand, type Word } from "./text.ts";
import { programName, type PlausibleCommand } from "./unwrap.ts";
import { maxCommandLength } from "./words.ts";
import { keywords } from "./wrappers.ts";

/** Programs whose words may all set variables. */
export const declaringBuiltins = new Set(["export", "declare", "local", "readonly", "typeset"]);
/** These give variables values that none of their words contain. */
const assigningBuiltins = new Set("read mapfile readarray getopts unset select printf wait let coproc".split(" "));
const assignmentForm = /^([A-Za-z_]\w*)(\+?)=/u;
const maxDepth = 4;
const definitionForm = /\(\s*\)|\b(?:function|alias|enable|hash)\b/u;

interface CollectedVariables {
  values: Map<string, Word[]>;
  /** Variables of which not every value is known. */
  open: Set<string>;
  /** Variables that are set before anything else happens. */
  sure: Set<string>;
  isOpaque: boolean;
  /** The line reads a file that may set variables, too. */
  isSourcing: boolean;
  /** It may define commands under the names of other programs. */
  definesOwn: boolean;
}

export interface ShellValues {
  knownValues: ValueOf;
  /** Includes the empty value of variables that may not be set yet, or never. Absent if all are set before anything else happens. */
  knownValuesOrUnset?: ValueOf;
  /** The same of variables with more values than words are filled with: a loop's, for instance. Undefined for all others. */
  manyValues: ValueOf;
}

/** More values of one variable are not followed. */
const maxManyValues = 20_000;

/** `starts`: the folders the line may run in. */
export function shellValues(
  written: readonly LexedCommand[],
  source: string,
  home: string,
  starts: readonly string[],
): ShellValues {
  const collected = collect(written, source);
  const knownValues = createValueOf(collected, home, starts, false);
  const longer = createValueOf(collected, home, starts, false, maxManyValues);
  const manyValues: ValueOf = (name) => [longer(name)].find((found = []) => found.length > maxAlternatives);
  const isSure = [...collected.values.keys()].every((name) => collected.sure.has(name));
  if (isSure) return { knownValues, manyValues };
  return { knownValues, manyValues, knownValuesOrUnset: createValueOf(collected, home, starts, true) };
}

/** Values that the line itself does not set. */
function outsideValues(
  name: string,
  home: string,
  starts: readonly string[],
  { definesOwn, values, open }: CollectedVariables,
): readonly string[] | undefined {
  if (name === "HOME") return [home];
  if (name === "IFS") return [" "];
  if (name === "PWD") return starts;
  if (definesOwn) return undefined;
  if (name === outputNames.number) return ["0"];
  if (name === outputNames.top) return starts.map((start) => repositoryAt(start)?.top ?? hole);
  // A new temporary file is not one that a rule names.
  return name === outputNames.temporary && !values.has("TMPDIR") && !open.has("TMPDIR") ? ["/tmp/tmp.new"] : undefined;
}

function createValueOf(
  collected: CollectedVariables,
  home: string,
  starts: readonly string[],
  mayBeUnset: boolean,
  limit = maxAlternatives,
): ValueOf {
  const known = new Map<string, readonly string[] | undefined>();
  const { values, open, sure, isOpaque, isSourcing } = collected;
  const valueOf = (name: string, depth = 0): readonly string[] | undefined => {
    if (depth > maxDepth) return undefined;
    if (known.has(name)) return known.get(name);
    const words = values.get(name);
    const texts = (words ?? []).flatMap((word) => {
      const whole = limit > maxAlternatives ? wholeVariable.exec(word.text)?.[1] : undefined;
      const inside = whole === undefined ? undefined : valueOf(whole, depth + 1);
      return inside ?? fillWordForms(word, (inner) => valueOf(inner, depth + 1)).map(joinTexts);
    });
    if (!sure.has(name)) texts.push(...(outsideValues(name, home, starts, collected) ?? []));
    if (words !== undefined && mayBeUnset && !sure.has(name)) texts.push("");
    if (isOpaque || open.has(name) || (words !== undefined && isSourcing)) texts.push(hole);
    const all = [...new Set(texts.map((text) => (hasHole(text) ? hole : text)))];
    const value = all.length === 0 || all.length > limit ? undefined : all;
    known.set(name, value);
    return value;
  };
  return (name) => valueOf(name);
}

/** A word that is one variable, or every element of one list. */
const wholeVariable = /^\$(?:(?=\w+$|[@*]$)|\{(?=[^{}]*\}$))([A-Za-z_]\w*|[@*])(?:\[[@*]\])?\}?$/u;

/** Assignments that precede everything else, in the shell itself. */
const leadingAssignments =
  /^\s*(?:[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|[^\s;&|()<>"'])*[ \t]*(?:;|\n|&&|(?=[A-Za-z_]\w*=))\s*)+/u;

function assignedName({ text }: Word): string {
  return assignmentForm.exec(text)?.[1] ?? "";
}

function collect(written: readonly LexedCommand[], source: string): CollectedVariables {
  const collected: CollectedVariables = {
    values: new Map(),
    open: new Set(),
    sure: new Set(),
    isOpaque: false,
    isSourcing: false,
    definesOwn: definitionForm.test(source),
  };
  if (source.length > maxCommandLength) return { ...collected, isOpaque: true };
  const begin = leadingAssignments.exec(source)?.[0] ?? "";
  for (const { words, documents } of written) {
    const isKeyword = ({ text, unsure }: Word): boolean => unsure === undefined && keywords.has(text);
    const start = words.findIndex((word) => !isKeyword(word));
    const rest = start < 0 ? [] : words.slice(start);
    const length = rest.findIndex(({ text }) => !assignmentForm.test(text));
    const isAlone = length < 0 && rest.length > 0;
    for (const word of isAlone ? rest : rest.slice(0, Math.max(length, 0)))
      addAssignment(word, collected, { isKept: isAlone, isSure: isAlone && begin.includes(`${assignedName(word)}=`) });
    const run = rest.slice(isAlone ? rest.length : Math.max(length, 0));
    addProgramEffects(run, collected);
    addInputValues(run, documents, collected);
  }
  for (const form of unusualAssignments)
    for (const [, name = "", value = ""] of source.matchAll(form)) {
      collected.open.add(name);
      addValues(name, plainElements(value), collected);
    }
  for (const [, name = ""] of source.matchAll(/\(\([^)]*?([A-Za-z_]\w*)\s*[-+*/%]?=/gu)) collected.open.add(name);
  return collected;
}

/** A list, an assignment inside an expansion, and an assignment to an element of a list. */
const unusualAssignments = [
  /([A-Za-z_]\w*)\+?=\(([^()]*)/gu,
  /\$\{!?([A-Za-z_]\w*)[^}]*=([^}]*)/gu,
  /([A-Za-z_]\w*)\[[^\]]*\]\+?=([^\s;&|]*)/gu,
];

/** The plain words of a list, or of a single value. */
function plainElements(list: string): Word[] {
  const plain = list.split(/\s+/u).filter((text) => text !== "" && !/[$`\\]/u.test(text));
  return plain.map((text) => certainWord(text.replace(/^\[[^\]]*\]=|["']/gu, "")));
}

function addValues(name: string, words: readonly Word[], { values }: CollectedVariables): void {
  values.set(name, [...(values.get(name) ?? []), ...words]);
}

/** `isKept`: the shell itself keeps the value from then on. */
function addAssignment(
  word: Word,
  collected: CollectedVariables,
  { isKept, isSure }: { isKept: boolean; isSure: boolean },
): void {
  const { open, sure } = collected;
  const [all = "", name = "", adds] = assignmentForm.exec(word.text) ?? [];
  // IFS changes how other words are split.
  if (name === "IFS" && isKept) collected.isOpaque = true;
  if (!isKept || adds === "+") open.add(name);
  const value = wordFrom(word, all.length);
  // In an assignment, the value is neither split nor matched against file names.
  addValues(name, [value.unsure === undefined ? value : { ...value, unsure: "value" }], collected);
  if (isSure) sure.add(name);
}

/** What `read` gets from text in the line, and the positional parameters from `set --`: which word each gets may change. */
function addInputValues(
  inputWords: readonly Word[],
  documents: readonly string[],
  collected: CollectedVariables,
): void {
  const [first, ...rest] = skipBuiltinPrefix(inputWords);
  const add = (name: string, words: readonly Word[]): void => {
    collected.open.add(name);
    addValues(name, words, collected);
  };
  const program = programName(first) ?? "";
  const inputTexts = documents
    .flatMap((text) => [text.trim(), ...text.split(/\s+/u)])
    .filter((text) => !/^$|[$`\\]/u.test(text));
  if (/^(?:read|mapfile|readarray)$/u.test(program) && inputTexts.length > 0)
    for (const name of ["REPLY", "MAPFILE", ...rest.flatMap(variableNamesIn)])
      add(name, [...new Set(inputTexts)].map(certainWord));
  if (program === "printf")
    for (const name of rest[0]?.text.startsWith("-v") === true ? rest.slice(0, 2).flatMap(variableNamesIn) : [])
      add(name, rest.slice(1));
  if (program !== "set") return;
  const words = rest.slice(rest.findIndex(({ text }) => text === "--") + 1);
  for (const name of ["@", "*", ...words.map((_, at) => String(at + 1))].slice(0, 11)) add(name, words);
}

/** The variables set if no name is given. */
const defaultVariables = ["REPLY", "MAPFILE", "OPTARG", "OPTIND"];

/** The name in a word: plain, with a subscript, or after letters: `printf -vX`, `read -raX`, `read 'X[0]'`. */
function variableNamesIn({ text }: Word): string[] {
  const name = /^([A-Za-z_]\w*)(?:\[.*)?$/su.exec(text)?.[1];
  if (name !== undefined) return [name];
  const [, letters = ""] = /^-(\w+)(?:\[.*)?$/su.exec(text) ?? [];
  return letters.split("").map((_, at) => letters.slice(at));
}

/** Whether `printf` may set any variable: its name is an option's value, and the option itself may be unknown: `printf "$X"`. */
function printfMaySetAnyVariable([first, second]: readonly Word[]): boolean {
  if (first?.text === "-v") return second?.unsure !== undefined && variableNamesIn(second).length === 0;
  return first?.unsure !== undefined && /^(?:-v?)?[$`][\w{}[\]$!#@*:()` -]*$/u.test(first.text) && second !== undefined;
}

function skipBuiltinPrefix(words: readonly Word[]): readonly Word[] {
  const start = words.findIndex(({ text }) => !/^(?:builtin|command|time|-p|--)$/u.test(text));
  return words.slice(Math.max(0, start));
}

function addProgramEffects(commandWords: readonly Word[], collected: CollectedVariables): void {
  const words = skipBuiltinPrefix(commandWords);
  const name = programName(words[0]) ?? "";
  const rest = words.slice(1);
  if (name === "source" || name === ".") collected.isSourcing = true;
  if (name === "for" && rest[1]?.text === "in") {
    const variable = rest[0]?.text ?? "";
    addValues(variable, rest.slice(2), collected);
    if (variable === "IFS") collected.isOpaque = true;
    return;
  }
  if (name === "for" && rest[0] !== undefined) collected.open.add(rest[0].text);
  if (declaringBuiltins.has(name)) {
    const isOpen = ({ known, unsure }: Word): boolean => unsure !== undefined && known === 0;
    const refers =
      rest.some(({ text }) => /^-[A-Za-z]*[nilu]/u.test(text)) ||
      (name !== "export" && name !== "readonly" && rest.some(isOpen));
    for (const word of rest)
      if (assignmentForm.test(word.text)) addAssignment(word, collected, { isKept: !refers, isSure: false });
    if (refers) collected.isOpaque = true;
  } else if (assigningBuiltins.has(name)) {
    const names = rest.flatMap(variableNamesIn);
    for (const each of [...defaultVariables, ...names]) collected.open.add(each);
    if (names.includes("IFS")) collected.isOpaque = true;
  }
  if (name === "printf" && printfMaySetAnyVariable(rest)) collected.isOpaque = true;
  if (name === "printf" || name === "wait") return;
  // A name that only the shell knows may be any variable.
  if (assigningBuiltins.has(name) && rest.some(({ unsure }) => unsure !== undefined)) collected.isOpaque = true;
}

/** What the commands of one line may still become: each use of a long value counts again, and too many would fill the memory. */
export interface FillBudget {
  words: number;
  characters: number;
}

export function createFillBudget(): FillBudget {
  return { words: 2_000_000, characters: 50_000_000 };
}

/** `times`: how often the words will be copied. */
function spend(budget: FillBudget, found: readonly Word[][], times: number): void {
  for (const words of found) {
    budget.words -= words.length * times;
    for (const { text } of words) budget.characters -= text.length;
  }
  if (budget.words < 0 || budget.characters < 0)
    throw new Error("the values in the command are too long to be followed");
}

/**
 * Each form that a command may have. Beyond the limit, every form of each word still occurs, but not every combination. Throws if the
 * budget, which all commands of a line share, is used up.
 */
export function fillCommandForms(command: PlausibleCommand, valueOf: ValueOf, budget: FillBudget): PlausibleCommand[] {
  if (command.words.every(({ unsure, text }) => unsure === undefined && !text.startsWith("~"))) return [command];
  let forms: Word[][] = [[]];
  for (const word of command.words) {
    const found = fillWordForms(word, valueOf);
    spend(budget, found, forms.length);
    if (found.length > 1 && forms.length * found.length <= maxAlternatives) {
      forms = forms.flatMap((before) => found.map((words) => [...before, ...words]));
      continue;
    }
    const choices = found.length > 1 ? [...fillWordForms(word, () => undefined), ...found] : found;
    for (let at = 0; forms.length < choices.length; at += 1) forms.push([...(forms[at] ?? [])]);
    for (const [at, form] of forms.entries()) form.push(...(choices[at % choices.length] ?? []));
  }
  return forms.map((words) => ({ ...command, words }));
}
