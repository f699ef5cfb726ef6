/** What git is told to run: through options, settings for one command or for good, and commands that run others. */
import { runnerMarks, runningKeys, laterRunningKeys } from "../git/git-keys.ts";
import { wordsAfterOperands, optionValues, type GivenCommand } from "../shell/given-words.ts";
import { gitCommandIndex } from "../options/operands.ts";
import { gitCommand } from "../options/program-options.ts";
import { commandOptions } from "../options/running-options.ts";
import { shellWord } from "../../lib/shell-quote.ts";
import type { Word } from "../shell/text.ts";

/** A key of git's configuration, and its value. */
export type GitSettingEntry = readonly [key: string, value: string];

/** An alias runs git, or a shell if it begins with `!`. */
export function commandsInSetting([key, value]: GitSettingEntry): string[] {
  if (!runningKeys.test(key) && !laterRunningKeys.test(key)) return [];
  if (value.startsWith("!")) return [value.slice(1)];
  return [/^alias\./iu.test(key) ? `git ${value}` : value];
}

/** The settings a git command makes, for itself or for good. */
export function gitSettingsIn(rest: readonly Word[]): GitSettingEntry[] {
  const at = gitCommandIndex(rest);
  const command = rest[at]?.text ?? "";
  const words = rest.slice(at + 1);
  const own = optionValues(rest.slice(0, at), "-c");
  const cloned = command === "clone" ? optionValues(words, "-c", "--config") : [];
  const entries = [...own, ...cloned].flatMap((setting): GitSettingEntry[] => {
    const equals = setting.indexOf("=");
    return equals > 0 ? [[setting.slice(0, equals), setting.slice(equals + 1)]] : [];
  });
  const operands = command === "config" ? words.filter(({ text }) => !text.startsWith("-")) : [];
  const key = operands.findIndex(({ text }) => text.includes("."));
  return key < 0 ? entries : [...entries, [operands[key]?.text ?? "", operands[key + 1]?.text ?? ""]];
}

/** Adds aliases by lower-case name. One that begins with its own name is left out: git has a command of that name and ignores the alias. */
export function addAliases(aliases: Map<string, Set<string>>, settings: readonly GitSettingEntry[]): void {
  for (const [key, value] of settings) {
    const name = /^alias\.([^]+)$/iu.exec(key)?.[1]?.toLowerCase();
    if (name === undefined || value.split(/\s/u)[0]?.toLowerCase() === name) continue;
    const texts = aliases.get(name) ?? new Set();
    for (const text of commandsInSetting([key, value])) texts.add(text);
    aliases.set(name, texts);
  }
}

/** What a git command runs through an alias, with the words after it. */
export function commandsByAlias(aliases: ReadonlyMap<string, ReadonlySet<string>>, rest: readonly Word[]): string[] {
  const at = gitCommandIndex(rest);
  const texts = aliases.get(rest[at]?.text.toLowerCase() ?? "");
  if (texts === undefined) return [];
  const behind = rest.slice(at + 1).map(({ text, unsure }) => (unsure === undefined ? shellWord(text) : text));
  return [...texts].map((text) => [text, ...behind].join(" "));
}

/** What an `ext::` address makes git run. */
function commandsInAddress({ text }: Word): string[] {
  const command = /(?:^|=)ext::([^]+)$/u.exec(text)?.[1];
  // There, `% ` is a blank within a word.
  return command === undefined ? [] : [command.replaceAll("% ", "\\ ")];
}

export function givenToGit(rest: readonly Word[]): GivenCommand[] {
  const at = gitCommandIndex(rest);
  const commands: GivenCommand[] = [
    ...gitSettingsIn(rest).flatMap(commandsInSetting),
    ...rest.flatMap(commandsInAddress),
  ];
  const command = rest[at]?.text ?? "";
  const words = rest.slice(at + 1);
  for (const each of [gitCommand("*"), gitCommand(command)])
    commands.push(...optionValues(words, ...commandOptions(each)));
  return [...commands, ...commandsAfterRunner(command, rest.slice(at))];
}

/** The words may also be a single text for a shell. */
function commandsAfterRunner(command: string, words: readonly Word[]): GivenCommand[] {
  const mark = words.findIndex(({ text }) => text === runnerMarks.get(command));
  if (mark < 0) return [];
  return wordsAfterOperands(words.slice(mark + 1), 0, /^$/u).flatMap((run) => [run[0]?.text ?? "", run]);
}
