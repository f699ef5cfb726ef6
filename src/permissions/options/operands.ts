/** Divides the words after a program's name as programs do: options with their values, and operands. */
import { entriesForNames } from "../../lib/entries-for-names.ts";
import { knownProgram, type Program } from "./program-options.ts";

export interface GivenOption {
  /** `-x` or `--long`; an abbreviated option is given in full. */
  name: string;
  value: string;
  valueIn: "same word" | "next word" | undefined;
  /** The index of the option's word. */
  at: number;
}

export interface Operands {
  givenOptions: GivenOption[];
  operands: string[];
  /** The indexes of the operands. */
  operandIndexes: number[];
  /** The operands after `--`. */
  paths: string[];
}

/** Divides the words. Unknown options take no value from the next word. */
export function parseWords(texts: readonly string[], program?: Program): Operands {
  const givenOptions: GivenOption[] = [];
  const operandIndexes: number[] = [];
  let at = 0;
  for (; at < texts.length && texts[at] !== "--"; at += 1) {
    const text = texts[at] ?? "";
    if (!text.startsWith("-") || text === "-") {
      operandIndexes.push(at);
      continue;
    }
    givenOptions.push(...optionsIn(text, at, program));
    const last = givenOptions.at(-1);
    if (last?.valueIn === "next word") last.value = texts[(at += 1)] ?? "";
    if (last !== undefined && program?.options.get(last.name)?.value === "two") at += 1;
  }
  const paths = texts.slice(at + 1);
  operandIndexes.push(...paths.map((_, index) => at + 1 + index));
  return {
    givenOptions,
    operands: operandIndexes.map((place) => texts[place] ?? ""),
    operandIndexes,
    paths,
  };
}

function optionsIn(text: string, at: number, program?: Program): GivenOption[] {
  const valueOf = (name: string) => program?.options.get(name)?.value ?? "none";
  const takesNext = (name: string): boolean => ["value", "path", "two"].includes(valueOf(name));
  if (text.startsWith("--")) {
    const equals = text.indexOf("=");
    const name = fullOptionName(equals < 0 ? text : text.slice(0, equals), program);
    if (equals < 0) return [{ name, value: "", valueIn: takesNext(name) ? "next word" : undefined, at }];
    return [{ name, value: text.slice(equals + 1), valueIn: "same word", at }];
  }
  const options: GivenOption[] = [];
  for (let letter = 1; letter < text.length; letter += 1) {
    const whole = program?.wholeOptions.find((each) => text.startsWith(each.slice(1), letter));
    if (whole !== undefined) {
      options.push({ name: whole, value: "", valueIn: undefined, at });
      letter += whole.length - "-x".length;
      continue;
    }
    const name = `-${text.charAt(letter)}`;
    const rest = text.slice(letter + 1);
    if (takesNext(name) || (valueOf(name) === "number" && /^\d+%?$/u.test(rest)))
      return [...options, { name, value: rest, valueIn: rest === "" ? "next word" : "same word", at }];
    options.push({ name, value: "", valueIn: undefined, at });
  }
  return options;
}

/** The full name of a long option: most programs accept its beginning. */
function fullOptionName(name: string, program?: Program): string {
  if (!/^--\w/u.test(name) || program?.options.has(name) === true) return name;
  return [...(program?.options.keys() ?? [])].find((each) => each.startsWith(name)) ?? name;
}

/** Undefined if an option is not permitted, or not in this form. */
export function parseListedWords(program: Program, texts: readonly string[]): Operands | undefined {
  const read = parseWords(texts, program);
  if (program.isApart && read.operandIndexes.length > 0 && read.operandIndexes.at(-1) !== texts.length - 1)
    return undefined;
  return read.givenOptions.every((each) => isListedOption(program, each, texts[each.at] ?? "")) ? read : undefined;
}

function isListedOption(program: Program, { name, value, valueIn }: GivenOption, word: string): boolean {
  if (program.wholeOptions.includes(word) || (program.takesNumbers && /^-\d+$/u.test(word))) return true;
  // The next release may complete an abbreviated option differently.
  if (name.startsWith("--") && !word.startsWith(name)) return false;
  const option = program.options.get(name);
  if (option?.use !== "harmless" || (valueIn === "same word" && option.value === "none")) return false;
  if (program.isApart && word !== name && word !== name + value) return false;
  return !program.isUnglued || valueIn !== "same word" || word.startsWith("--") || /^\d*$/u.test(value);
}

export function valuesOfOption({ givenOptions }: Operands, ...names: readonly string[]): string[] {
  return givenOptions.filter(({ name }) => names.includes(name)).map(({ value }) => value);
}

export function hasOption({ givenOptions }: Operands, ...names: readonly string[]): boolean {
  return givenOptions.some(({ name }) => names.includes(name));
}

export function parseProgramWords(program: string, texts: readonly string[]): Operands {
  return parseWords(texts, knownProgram(program));
}

/** Options that replace the pattern operand. */
export const patternGivingOptions: readonly string[] = ["-e", "-f", "--regexp", "--file", "--files", "--type-list"];

/** Options that give the pattern or script; without one of them, the first operand does. */
const scriptGivingOptions = new Map<string, readonly string[]>([
  ...entriesForNames("grep rg", patternGivingOptions),
  ["ag", []],
  ...entriesForNames("sed awk", ["-e", "-f", "--expression", "--file"]),
  ["jq", ["-f", "--from-file"]],
]);

/** The operands that are files. */
export function fileOperands(program: string, read: Operands): readonly string[] {
  const options = scriptGivingOptions.get(program);
  return options === undefined || hasOption(read, ...options) ? read.operands : read.operands.slice(1);
}

/** Whether the option, given alone, takes its value from the next word. */
export function takesNextWord(program: string, option: string): boolean {
  return knownProgram(program)?.options.get(option)?.value === "value";
}

/** The index of the command among the words after `git`, behind git's own options; the number of words if there is none. */
export function gitCommandIndex(rest: readonly { text: string }[]): number {
  let at = 0;
  for (let word = rest[0]; word?.text.startsWith("-") === true; word = rest[at])
    at += takesNextWord("git", word.text) ? 2 : 1;
  return Math.min(at, rest.length);
}
