/** What git is told to run: by its options, by settings for one command or for good, and by commands that run others. */
import { runningKeys } from "./git-keys.ts";
import { optionValues, type GivenCommand } from "./given-words.ts";
import type { Word } from "./shell-text.ts";

/** By command, the options whose value it runs. */
const running: ReadonlyMap<string, readonly [letters: string, ...names: string[]]> = new Map([
  ["rebase", ["x", "--exec"]],
  ["difftool", ["x", "--extcmd"]],
  ["grep", ["O", "--open-files-in-pager"]],
  ["clone", ["u", "--upload-pack"]],
  ["fetch", ["", "--upload-pack"]],
  ["pull", ["", "--upload-pack"]],
  ["ls-remote", ["", "--upload-pack"]],
  ["push", ["", "--receive-pack", "--exec"]],
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

/** Of git itself, those that take the next word. */
const valued = /^(?:-[Cc]|--(?:git-dir|work-tree|namespace|super-prefix|config-env|attr-source))$/u;

/** An alias runs git, or behind `!` a shell. */
function fromSetting(key: string, value: string): string[] {
  if (!runningKeys.test(key)) return [];
  if (value.startsWith("!")) return [value.slice(1)];
  return [/^alias\./iu.test(key) ? `git ${value}` : value];
}

export function givenToGit(rest: readonly Word[]): GivenCommand[] {
  let at = 0;
  const given: GivenCommand[] = [];
  for (let text = rest[at]?.text ?? ""; text.startsWith("-"); text = rest[at]?.text ?? "") {
    const setting = rest[at + 1]?.text ?? "";
    const equals = setting.indexOf("=");
    if (text === "-c" && equals > 0) given.push(...fromSetting(setting.slice(0, equals), setting.slice(equals + 1)));
    at += valued.test(text) ? 2 : 1;
  }
  const command = rest[at]?.text ?? "";
  const words = rest.slice(at + 1);
  const options = running.get(command);
  if (options !== undefined) given.push(...optionValues(words, ...options));
  const operands = words.filter(({ text }) => !text.startsWith("-"));
  const [first, second] = operands;
  if (command === "config") {
    const key = operands.findIndex(({ text }) => text.includes("."));
    given.push(...fromSetting(operands[key]?.text ?? "", operands[key + 1]?.text ?? ""));
  }
  if (command === "bisect" && first?.text === "run") given.push(words.slice(words.indexOf(first) + 1));
  if (command === "submodule" && first?.text === "foreach" && second !== undefined)
    given.push(operands.length === 2 ? second.text : words.slice(words.indexOf(second)));
  return given;
}
