/**
 * Commands that others run of what they are given in other ways than as their own last words: for rules that name commands alone. Which
 * files they touch is not asked, as these may be another machine's.
 */
import { givenCommands } from "./given-commands.ts";
import type { GivenCommand } from "./given-words.ts";
import { lexCommands } from "./shell-lexer.ts";
import { emptyCommand, type LexedCommand, type Word } from "./shell-text.ts";
import { programOf, Unwrapper, type PlausibleCommand } from "./shell-unwrap.ts";
import { assignment, commandStart, keywords, setting, shells } from "./shell-wrappers.ts";

const maxDepth = 3;
const maxGiven = 200;
/** Words of `env` and its kin that are looked through for variables. */
const mostSet = 200;
/** Variables that name a program, or a command, for others to run. */
const naming =
  /^(?:\w*PAGER|EDITOR|VISUAL|\w+_EDITOR|GIT_SSH(?:_COMMAND)?|GIT_EXTERNAL_DIFF|GIT_PROXY_COMMAND|\w+_ASKPASS|(?:GH_)?BROWSER|LESSOPEN|RSYNC_RSH|SVN_SSH|CVS_RSH|FZF_DEFAULT_COMMAND)=([^]*)$/u;
/** All words of these may set variables. */
const exporters = new Set(["export", "declare", "typeset", "local", "readonly"]);
/** These run later what they read. */
const laters = new Set(["at", "batch", "crontab"]);
/** They show or change what is to run later, or only hold a connection, and read nothing. */
const readsNone: ReadonlyMap<string, RegExp> = new Map([
  ["at", /^-[lrdc]/u],
  ["crontab", /^-[ler]$/u],
  ["ssh", /^-[46ACGKMTVXYafgknqstvxy]*N/u],
]);
const cronTime = /^\s*(?:@\w+|(?:[\d*,/A-Za-z-]+\s+){4}[\d*,/A-Za-z-]+)\s+/u;

interface Reading {
  commands: readonly PlausibleCommand[];
  written: readonly LexedCommand[];
}

export function besideCommands(reading: Reading): PlausibleCommand[] {
  const found: PlausibleCommand[] = [];
  let left = maxGiven;
  const read = ({ commands, written }: Reading, depth: number): void => {
    if (depth > maxDepth) return;
    const told = givenIn(commands);
    for (const given of [...told, ...namedIn(written), ...fedIn(commands, told, written)]) {
      // It shows what it is given, and reads no file.
      if (given === "cat") continue;
      left -= 1;
      if (left < 0) return;
      const inner = readGiven(given);
      // Of what only the shell knows, nothing can be told.
      found.push(...inner.commands.filter(({ words }) => programOf(words[0]) !== null));
      read(inner, depth + 1);
    }
  };
  read(reading, 0);
  return found;
}

function readGiven(given: GivenCommand): Reading {
  const text = typeof given === "string" ? given : given.map((word) => word.text).join(" ");
  const unwrapper = new Unwrapper(text);
  const words = typeof given === "string" ? undefined : [...given];
  const commands = words === undefined ? undefined : [{ ...emptyCommand(), words }];
  unwrapper.read(commands === undefined ? lexCommands(text) : { commands, understood: true, isForBash: false });
  return unwrapper;
}

function givenIn(commands: readonly PlausibleCommand[]): GivenCommand[] {
  return commands.flatMap(({ words }) => givenCommands(programOf(words[0]) ?? "", words.slice(1)));
}

function namedIn(written: readonly LexedCommand[]): string[] {
  return written.flatMap(({ words }) =>
    variablesIn(words).flatMap(({ text }) => naming.exec(text)?.[1]?.replace(/^\|+-?\s*/u, "") ?? []),
  );
}

/** Elsewhere `EDITOR=x` is what is looked for, or said. */
function variablesIn(words: readonly Word[]): readonly Word[] {
  const program = words.findIndex(({ text }) => !assignment.test(text) && !keywords.has(text) && text !== "time");
  if (program < 0) return words;
  const found = words.slice(0, program);
  for (let at = program; at < words.length; at++) {
    const name = programOf(words[at]) ?? "";
    if (exporters.has(name)) return [...found, ...words.slice(at + 1)];
    if (!setting.has(name)) continue;
    const rest = words.slice(at + 1, at + 1 + mostSet);
    found.push(...rest.slice(0, commandStart(name, rest)));
  }
  return found;
}

/** What may be put out for one that takes its commands from there, or stands in a document for it. */
function fedIn(
  commands: readonly PlausibleCommand[],
  told: readonly GivenCommand[],
  written: readonly LexedCommand[],
): string[] {
  const all = [...commands.map(({ words }) => words), ...told];
  if (!all.some((each) => typeof each !== "string" && takesCommands(each))) return [];
  return written.flatMap(({ words, documents }) => {
    const isSaid = ["echo", "printf"].includes(programOf(words[0]) ?? "");
    const said = words.slice(1).map(textOf);
    return [...(isSaid ? [said.join(" "), ...said] : []), ...documents].map(withoutTimes);
  });
}

/** Later, elsewhere, or in a container. */
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

const textOf = ({ text }: Word): string => text;
