/** Programs that run unasked under the name of a program of the system, and are files of the repository. */
import { wrapperLength } from "../rules/front-words.ts";
import type { Law } from "./law.ts";
import { textsOf } from "../shell/text.ts";
import type { ShellStep } from "../shell/step.ts";

/** The shell's own: no file is looked for. */
const builtins = new Set(
  "[ [[ : break builtin cd command continue echo exit false jobs printf pwd set test time true type wait".split(" "),
);

/** Why a command that needs no rule needs one all the same; undefined where nothing speaks against it. */
export function broughtProgram({ words }: ShellStep, starts: readonly string[], { brought }: Law): string | undefined {
  for (let texts = textsOf(words); ;) {
    const [program = ""] = texts;
    const found = builtins.has(program) ? [] : starts.flatMap((start) => brought(program, start) ?? []);
    if (found[0] !== undefined)
      return `"${program}" may be ${found[0]} here, a file of this folder that PATH leads to, which needs permission`;
    const length = wrapperLength(texts);
    if (length === 0) return undefined;
    texts = texts.slice(length);
  }
}
