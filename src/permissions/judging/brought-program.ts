/** Programs that run unasked under the name of a program of the system, and are files of the repository. */
import { wrapperLength } from "../rules/front-words.ts";
import type { Law } from "./law.ts";
import { textsOf } from "../shell/text.ts";
import type { ShellStep } from "../shell/step.ts";

/** The shell's own: no file is looked for. */
const builtins = new Set(
  "[ [[ : break builtin cd command continue echo exit false jobs printf pwd set test time true type wait".split(" "),
);

/** Behind these the shell's own are what they are in front; behind others, as `nice`, a file is. */
const ofShell = new Set(["time", "command", "builtin"]);

/** Some are scripts, or start others by their names. */
const helpers: Readonly<Record<string, string>> = {
  egrep: "grep",
  fgrep: "grep",
  locale: "gzip",
  "git submodule": "basename sed uname gettext envsubst",
  "git bisect": "basename sed uname gettext envsubst",
};

function startedBy(texts: readonly string[]): string[] {
  const [program = ""] = texts;
  const command = program === "git" ? texts.slice(1).find((text) => !text.startsWith("-")) : undefined;
  const name = command === undefined ? program : `git ${command}`;
  return [program, ...(Object.hasOwn(helpers, name) ? (helpers[name] ?? "").split(" ") : [])];
}

/** Why a command that needs no rule needs one all the same; undefined where nothing speaks against it. */
export function broughtProgram({ words }: ShellStep, starts: readonly string[], { brought }: Law): string | undefined {
  let isShells = true;
  for (let texts = textsOf(words); ;) {
    const [program = ""] = texts;
    const names = isShells && builtins.has(program) ? [] : startedBy(texts);
    const found = names.flatMap((name) => starts.flatMap((start) => brought(name, start) ?? []));
    if (found[0] !== undefined)
      return `"${program}" may be ${found[0]} here, a file of this folder that PATH leads to, which needs permission`;
    const length = wrapperLength(texts);
    if (length === 0) return undefined;
    isShells &&= ofShell.has(program);
    texts = texts.slice(length);
  }
}
