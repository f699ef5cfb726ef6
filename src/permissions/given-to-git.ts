/** What git is told to run: by its options, by settings for one command or for good, and by commands that run others. */
import { runners, runningKeys, setKeys } from "./git-keys.ts";
import { behindOperands, optionValues, type GivenCommand } from "./given-words.ts";
import { commandOptions } from "./running-options.ts";
import type { Word } from "./shell-text.ts";
import { gitCommandAt } from "./valued-options.ts";

/** An alias runs git, or behind `!` a shell. */
export function fromSetting(key: string, value: string): string[] {
  if (!runningKeys.test(key) && !setKeys.test(key)) return [];
  if (value.startsWith("!")) return [value.slice(1)];
  return [/^alias\./iu.test(key) ? `git ${value}` : value];
}

/** What options say that have a setting for one command. */
function fromSettings(words: readonly Word[], ...names: readonly string[]): string[] {
  return optionValues(words, "c", ...names).flatMap((setting) => {
    const equals = setting.indexOf("=");
    return equals > 0 ? fromSetting(setting.slice(0, equals), setting.slice(equals + 1)) : [];
  });
}

/** What an address of that kind has run. */
function fromAddress({ text }: Word): string[] {
  const command = /(?:^|=)ext::([^]+)$/u.exec(text)?.[1];
  return command === undefined ? [] : [command];
}

export function givenToGit(rest: readonly Word[]): GivenCommand[] {
  const at = gitCommandAt(rest);
  const given: GivenCommand[] = [...fromSettings(rest.slice(0, at)), ...rest.flatMap(fromAddress)];
  const command = rest[at]?.text ?? "";
  const words = rest.slice(at + 1);
  for (const { letters, names } of [commandOptions("git"), commandOptions(`git-${command}`)])
    given.push(...optionValues(words, letters, ...names));
  if (command === "clone") given.push(...fromSettings(words, "--config"));
  if (command === "config") {
    const operands = words.filter(({ text }) => !text.startsWith("-"));
    const key = operands.findIndex(({ text }) => text.includes("."));
    given.push(...fromSetting(operands[key]?.text ?? "", operands[key + 1]?.text ?? ""));
  }
  return [...given, ...behindRunner(command, rest.slice(at))];
}

/** What stands there as words may be a text for a shell as well. */
function behindRunner(command: string, words: readonly Word[]): GivenCommand[] {
  const mark = words.findIndex(({ text }) => text === runners.get(command));
  if (mark < 0) return [];
  return behindOperands(words.slice(mark + 1), 0, /^$/u).flatMap((run) => [run[0]?.text ?? "", run]);
}
