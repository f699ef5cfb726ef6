/** What variables have others run: those that name a program or a command, and git's settings in variables. */
import { fromSetting } from "./given-to-git.ts";

const naming =
  /^(?:\w*PAGER|\w*EDITOR|VISUAL|GIT_SSH(?:_COMMAND)?|GIT_EXTERNAL_DIFF|GIT_PROXY_COMMAND|\w+_ASKPASS|(?:GH_)?BROWSER|LESSOPEN|RSYNC_RSH|SVN_SSH|CVS_RSH|FZF_DEFAULT_COMMAND)=([^]*)$/u;
/** The variable beside it says what it is set to, such as `core.pager` or `alias.x`. */
const setting = /^GIT_CONFIG_VALUE_\d+=(!?)([^]*)$/u;
const settings = /^GIT_CONFIG_PARAMETERS=([^]*)$/u;

/** `text`: `NAME=value`. */
export function givenByVariable(text: string): string[] {
  const named = naming.exec(text)?.[1];
  if (named !== undefined) return [named.replace(/^\|+-?\s*/u, "")];
  const [, shelled, value = ""] = setting.exec(text) ?? [];
  if (shelled !== undefined) return shelled === "" ? [value, `git ${value}`] : [value];
  const [, all = ""] = settings.exec(text) ?? [];
  return [...all.matchAll(/'([^'=]+)(?:'=')?=?((?:[^']|'\\'')*)'/gu)].flatMap(([, key = "", said = ""]) =>
    fromSetting(key, said.replaceAll("'\\''", "'")),
  );
}

/** Of `git --config-env=key=NAME`, which takes the value from a variable: what it says where the line sets that. */
export function givenByNamed(option: string, value: (name: string) => string | undefined): string[] {
  const [, key = "", name = ""] = /^(?:--config-env=)?([^]+)=(\w+)$/u.exec(option) ?? [];
  const said = value(name);
  return said === undefined ? [] : fromSetting(key, said);
}
