/** What variables make others run: variables that name a program or command, and git settings in variables. */
import type { GitSettingEntry } from "./given-to-git.ts";
import { optionValues } from "../shell/given-words.ts";
import type { Word } from "../shell/text.ts";

const programVariable =
  /^(?:\w*PAGER|\w*EDITOR|VISUAL|GIT_SSH(?:_COMMAND)?|GIT_EXTERNAL_DIFF|GIT_PROXY_COMMAND|\w+_ASKPASS|(?:GH_)?BROWSER|LESSOPEN|LESSCLOSE|LESSEDIT|RSYNC_RSH|SVN_SSH|CVS_RSH|FZF_DEFAULT_COMMAND|SHELL|CC|CXX|RUSTC(?:_WORKSPACE)?_WRAPPER|RUSTC|CARGO_\w+_(?:RUNNER|LINKER)|(?:npm|NPM)_config_(?:script_shell|git|editor|viewer))=([^]*)$/u;
/** The setting's key is in another variable, such as `core.pager` or `alias.x`. */
const gitConfigValue = /^GIT_CONFIG_VALUE_\d+=(!?)([^]*)$/u;
const gitConfigParameters = /^GIT_CONFIG_PARAMETERS=([^]*)$/u;

/** `text` is `NAME=value`. */
export function commandsInVariable(text: string): string[] {
  const program = programVariable.exec(text)?.[1];
  if (program !== undefined) return [program.replace(/^\|+-?\s*/u, "")];
  const [, shelled, value = ""] = gitConfigValue.exec(text) ?? [];
  if (shelled === undefined) return [];
  return shelled === "" ? [value, `git ${value}`] : [value];
}

/** The git settings made by such variables. `commands`: also through `git --config-env=key=NAME`, which reads a value from one. */
export function gitSettingsInVariables(
  set: readonly string[],
  commands: readonly { words: readonly Word[] }[],
): GitSettingEntry[] {
  const valued = (key: string, name: string): GitSettingEntry[] => {
    const value = set.findLast((each) => each.startsWith(`${name}=`))?.slice(name.length + 1);
    return value === undefined ? [] : [[key, value]];
  };
  const numbered = set.flatMap((text) => {
    const [, number, key = ""] = /^GIT_CONFIG_KEY_(\d+)=([^]+)$/u.exec(text) ?? [];
    return number === undefined ? [] : valued(key, `GIT_CONFIG_VALUE_${number}`);
  });
  const listed = set.flatMap((text) => {
    const all = (gitConfigParameters.exec(text)?.[1] ?? "").matchAll(/'([^'=]+)(?:'=')?=?((?:[^']|'\\'')*)'/gu);
    return [...all].map(([, key = "", quotedValue = ""]): GitSettingEntry => [
      key,
      quotedValue.replaceAll("'\\''", "'"),
    ]);
  });
  const options = commands.flatMap(({ words }) => optionValues(words, "--config-env"));
  const settings = options.flatMap((text) => {
    const [, key = "", name = ""] = /^([^]+)=(\w+)$/u.exec(text) ?? [];
    const known = valued(key, name);
    // Otherwise the value comes from pawl's own environment.
    return known.length > 0 || key === "" ? known : [[key, `$${name}`] satisfies GitSettingEntry];
  });
  return [...numbered, ...listed, ...settings];
}
