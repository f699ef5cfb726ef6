/** Finds programs that run without a question under the name of a system program but are files of the repository. */
import { wrapperLength } from "../rules/front-words.ts";
import type { Law } from "./law.ts";
import { textsOf } from "../shell/text.ts";
import type { ShellStep } from "../shell/step.ts";

/** Shell builtins: no file is looked up for them. */
const builtins = new Set(
  "[ [[ : break builtin cd command continue echo exit false jobs printf pwd set test time true type wait".split(" "),
);

/** Builtins stay builtins behind these words; behind other wrappers, such as `nice`, a file runs. */
const builtinPrefixes = new Set(["time", "command", "builtin"]);

/** Programs that are scripts or start other programs by name. */
const startedPrograms: Readonly<Record<string, string>> = {
  egrep: "grep",
  fgrep: "grep",
  locale: "gzip",
  "git submodule": "basename sed uname gettext envsubst",
  "git bisect": "basename sed uname gettext envsubst",
};

function programsStartedBy(texts: readonly string[]): string[] {
  const [program = ""] = texts;
  const command = program === "git" ? texts.slice(1).find((text) => !text.startsWith("-")) : undefined;
  const name = command === undefined ? program : `git ${command}`;
  return [program, ...(Object.hasOwn(startedPrograms, name) ? (startedPrograms[name] ?? "").split(" ") : [])];
}

/** Why a command that needs no rule needs one after all, or undefined if nothing is against it. */
export function repositoryProgramReason(
  { words }: ShellStep,
  starts: readonly string[],
  { repositoryProgram }: Law,
): string | undefined {
  let mayBeBuiltin = true;
  for (let texts = textsOf(words); ;) {
    const [program = ""] = texts;
    const names = mayBeBuiltin && builtins.has(program) ? [] : programsStartedBy(texts);
    const found = names.flatMap((name) => starts.flatMap((start) => repositoryProgram(name, start) ?? []));
    if (found[0] !== undefined)
      return `"${program}" may be ${found[0]} here, a file of this folder that PATH leads to, which needs permission`;
    const length = wrapperLength(texts);
    if (length === 0) return undefined;
    mayBeBuiltin &&= builtinPrefixes.has(program);
    texts = texts.slice(length);
  }
}
