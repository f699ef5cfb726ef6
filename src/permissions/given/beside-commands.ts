/**
 * Finds commands that programs get in other ways than as their own last words, for rules that name commands only. Their files are not
 * considered, since they may be on another machine.
 */
import { givenCommands } from "./given-commands.ts";
import { givenByVariable, settingsBy } from "./given-by-variable.ts";
import { addAliases, aliasedBy, fromSetting, settingsOf } from "./given-to-git.ts";
import type { GivenCommand } from "../shell/given-words.ts";
import { lexCommands } from "../shell/lexer.ts";
import { emptyCommand, joined, textsOf, type LexedCommand, type Word } from "../shell/text.ts";
import { programOf, tooMuch, Unwrapper, type PlausibleCommand } from "../shell/unwrap.ts";
import {
  assignment,
  commandStart,
  joinsWords,
  keywords,
  setsVariables,
  shells,
  takesValue,
} from "../shell/wrappers.ts";
import { asMeant } from "../shell/words.ts";

const maxDepth = 3;
const maxGiven = 2_000;
/** Programs whose words may all set variables. */
const exporters = new Set(["export", "declare", "typeset", "local", "readonly"]);
/** Programs that later run what they read. */
const laters = new Set(["at", "batch", "crontab"]);
/** Options with which programs only list or change later jobs, or only hold a connection, and read nothing. */
const readsNone: ReadonlyMap<string, RegExp> = new Map([
  ["at", /^-[lrdc]/u],
  ["crontab", /^-[ler]$/u],
  ["ssh", /^-[46ACGKMTVXYafgknqstvxy]*N/u],
]);
/** Only months and weekdays have names; otherwise the words of a command could be taken for a time. */
const cronTime = /^\s*(?:@\w+|(?:[\d*,/~-]+\s+){3}[\d*,/A-Za-z-]+\s+[\d*,/A-Za-z-]+)\s+/u;

interface Reading {
  commands: readonly PlausibleCommand[];
  written: readonly LexedCommand[];
  opaque?: string | undefined;
}

interface Beside {
  commands: PlausibleCommand[];
  /** The words they were read from. */
  written: LexedCommand[];
  /** False if there is more than is followed. */
  isWhole: boolean;
}

export function besideCommands(reading: Reading): Beside {
  const found: PlausibleCommand[] = [];
  const from: LexedCommand[] = [];
  let left = maxGiven;
  let isWhole = true;
  // Shared by all levels: an alias also applies in commands that are read from others.
  const aliases = new Map<string, Set<string>>();
  const read = ({ commands, written }: Reading, depth: number): void => {
    const told = givenIn(commands);
    const set = written.flatMap(({ words }) => textsOf(variablesIn(words)));
    const byVariable = settingsBy(set, written);
    const gits = commands.filter(({ words }) => programOf(words[0]) === "git").map(({ words }) => words.slice(1));
    addAliases(aliases, [...byVariable, ...gits.flatMap(settingsOf)]);
    const named = [...set.flatMap(givenByVariable), ...byVariable.flatMap(fromSetting)];
    const aliased: string[] = [];
    for (const rest of gits) if (aliased.length <= maxGiven) aliased.push(...aliasedBy(aliases, rest));
    for (const given of [...told, ...named, ...aliased, ...fedIn(commands, told, written)]) {
      // cat prints its input and reads no other file.
      if (given === "cat" || given.length === 0) continue;
      left -= 1;
      isWhole &&= left >= 0 && depth <= maxDepth;
      if (!isWhole) return;
      const inner = readGiven(given);
      isWhole = inner.opaque !== tooMuch;
      // Nothing can be said of commands only the shell knows.
      found.push(...inner.commands.filter(({ words }) => programOf(words[0]) !== null).flatMap(asMeant));
      from.push(...inner.written);
      read(inner, depth + 1);
    }
  };
  read(reading, 0);
  return { commands: found, written: from, isWhole };
}

export function readGiven(given: GivenCommand): Reading {
  const isText = typeof given === "string";
  const unwrapper = new Unwrapper(isText ? given : joined(given));
  const asWords = (words: Word[]) => ({ commands: [{ ...emptyCommand(), words }], understood: true, isForBash: false });
  unwrapper.read(isText ? lexCommands(given) : asWords([...given]));
  return unwrapper;
}

function givenIn(commands: readonly PlausibleCommand[]): GivenCommand[] {
  return commands.flatMap(({ words }) => givenCommands(programOf(words[0]) ?? "", words.slice(1)));
}

/** The words that set variables. In other places, `EDITOR=x` is a search pattern or output. */
export function variablesIn(words: readonly Word[]): readonly Word[] {
  const program = words.findIndex(({ text }) => !assignment.test(text) && !keywords.has(text) && text !== "time");
  if (program < 0) return words;
  const found = words.slice(0, program);
  let setter: string | undefined;
  let before = "";
  // A shell that is given words accepts assignments in front of them, too.
  let given = -1;
  for (const [at, word] of words.entries()) {
    if (at < program) continue;
    const { text } = word;
    const name = programOf(word) ?? "";
    if (exporters.has(name)) return [...found, ...words.slice(at + 1)];
    const isInFront = text.startsWith("-") || assignment.test(text) || takesValue(setter ?? "", before);
    if (joinsWords(name)) given = at + 1 + commandStart(name, words.slice(at + 1));
    if (at === given && assignment.test(text)) {
      found.push(word);
      given += 1;
    } else if (setsVariables(name)) setter = name;
    else if (setter !== undefined && isInFront) found.push(word);
    else setter = undefined;
    before = text;
  }
  return found;
}

/** Texts that may be piped or given as a document to a program that reads its commands from there. */
function fedIn(
  commands: readonly PlausibleCommand[],
  told: readonly GivenCommand[],
  written: readonly LexedCommand[],
): string[] {
  const fed = written.flatMap(({ words, documents }) => {
    const isSaid = ["echo", "printf"].includes(programOf(words[0]) ?? "");
    const said = textsOf(words.slice(1));
    return [...(isSaid ? [said.join(" "), ...said] : []), ...documents].map(withoutTimes);
  });
  if (fed.length === 0) return [];
  const inside = told.flatMap((given) => (typeof given === "string" ? [] : readGiven(given).commands));
  return [...commands, ...inside].some(({ words }) => takesCommands(words)) ? fed : [];
}

/** Whether the program reads commands from its input and runs them: later, elsewhere, or in a container. */
function takesCommands([first, ...rest]: readonly Word[]): boolean {
  const program = programOf(first) ?? "";
  if (rest.some(({ text }) => readsNone.get(program)?.test(text) === true)) return false;
  if (program === "ssh") return commandStart(program, rest) >= rest.length;
  return laters.has(program) || (shells.has(program) && rest.every(({ text }) => /^-(?!\w*c)/u.test(text)));
}

function withoutTimes(text: string): string {
  const lines = text.replaceAll("\\n", "\n").split("\n");
  return lines.map((line) => line.replace(cronTime, "")).join("\n");
}
