/** What git is told to run: by its options, by settings for one command or for good, and by commands that run others. */
import { runningKeys, setKeys } from "./git-keys.ts";
import { optionValues, type GivenCommand } from "./given-words.ts";
import type { Word } from "./shell-text.ts";
import { gitCommandAt } from "./valued-options.ts";

/** By command, the options whose value it runs. */
const running: ReadonlyMap<string, readonly [letters: string, ...names: string[]]> = new Map([
  ["rebase", ["x", "--exec"]],
  ["difftool", ["x", "--extcmd"]],
  ["grep", ["O", "--open-files-in-pager"]],
  ["clone", ["u", "--upload-pack"]],
  ["fetch", ["", "--upload-pack"]],
  ["pull", ["", "--upload-pack"]],
  ["ls-remote", ["", "--upload-pack", "--exec"]],
  ["fetch-pack", ["", "--upload-pack", "--exec"]],
  ["push", ["", "--receive-pack", "--exec"]],
  ["send-pack", ["", "--receive-pack", "--exec"]],
  ["archive", ["", "--exec"]],
  ["send-email", ["", "--sendmail-cmd", "--to-cmd", "--cc-cmd", "--header-cmd"]],
  [
    "filter-branch",
    [
      "",
      ..."setup env-filter tree-filter index-filter parent-filter msg-filter commit-filter tag-name-filter"
        .split(" ")
        .map((name) => `--${name}`),
    ],
  ],
]);

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
  const options = running.get(command);
  if (options !== undefined) given.push(...optionValues(words, ...options));
  const operands = words.filter(({ text }) => !text.startsWith("-"));
  const [first, second] = operands;
  if (command === "clone") given.push(...fromSettings(words, "--config"));
  if (command === "config") {
    const key = operands.findIndex(({ text }) => text.includes("."));
    given.push(...fromSetting(operands[key]?.text ?? "", operands[key + 1]?.text ?? ""));
  }
  if (command === "bisect" && first?.text === "run") given.push(words.slice(words.indexOf(first) + 1));
  if (command === "submodule" && first?.text === "foreach" && second !== undefined)
    given.push(operands.length === 2 ? second.text : words.slice(words.indexOf(second)));
  return given;
}
