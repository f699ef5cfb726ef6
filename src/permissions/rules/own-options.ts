/** Where a program's own options end because a script or another command follows: `python x.py -m y` has no option of python. */
import { entriesForNames } from "../../lib/entries-for-names.ts";
import { containerCommandStart } from "../given/contained-command.ts";
import { takesNextWord } from "../options/operands.ts";
import { textsOf, type Word } from "../shell/text.ts";
import { commandStart, isStartCertain, shells } from "../shell/wrappers.ts";

interface ScriptRunner {
  /** Options without a value. */
  flags: RegExp;
  /** Options that take the next word. */
  valued: RegExp;
  /** With such an option, the code or module follows, and after it the words are the script's. */
  last?: RegExp;
  /** Behind such a word, more of its own options may follow. */
  ownWord?: RegExp;
}

const scriptRunners: ReadonlyMap<string, ScriptRunner> = new Map<string, ScriptRunner>([
  ...entriesForNames("python python3 pypy pypy3", {
    flags: /^-[bBdEhiIOPqRsStuvVx]+$/u,
    valued: /^-[bBdEiIOPqsSuvx]*[WX]$/u,
    last: /^-[bBdEiIOPqsSuvx]*[cm]/u,
  }),
  [
    "node",
    {
      flags: /^--(?:inspect|inspect-brk|watch|test|no-warnings)$/u,
      valued: /^(?:-[repC]|-pe|--import)$/u,
      ownWord: /^inspect$/u,
    },
  ],
  ...entriesForNames("perl ruby", { flags: /^-[nplswW]+$/u, valued: /^-[nplswW]*e$/u }),
  // In fish, other letters take values.
  ...entriesForNames([...shells].filter((shell) => shell !== "fish").join(" "), {
    flags: /^[-+][abefhiklmnpruvxc]+$|^--login$/u,
    valued: /^[-+][eux]*o$/u,
  }),
]);

const makeValue =
  /^(?:-[bBdeikmnpqrRsStvw]*[CfIoW]|--(?:directory|file|makefile|include-dir|old-file|new-file|assume-old|assume-new|what-if))$/u;

/** Whether the option, given alone, takes its value from the next word. */
export function takesValue(program: string, option: string): boolean {
  return program === "make" || program === "gmake" ? makeValue.test(option) : takesNextWord(program, option);
}

/** The index where the words of the script or the other command begin; undefined if there is none or if it is not certain. */
export function ownOptionsEnd(program: string, rest: readonly Word[]): number | undefined {
  const end = possibleEnd(program, rest);
  // A word that only the shell knows may be an option, or nothing.
  const isUnsure = rest.slice(0, (end ?? 0) + 1).some(({ unsure }) => unsure !== undefined);
  return isUnsure ? undefined : end;
}

function possibleEnd(program: string, rest: readonly Word[]): number | undefined {
  if (program === "docker" || program === "podman") return containerCommandStart(rest);
  const runner = scriptRunners.get(program);
  if (runner !== undefined) return scriptStart(runner, textsOf(rest));
  const start = commandStart(program, rest);
  return isStartCertain(program, rest.slice(0, start)) ? start : undefined;
}

function scriptStart({ flags, valued, last, ownWord }: ScriptRunner, rest: readonly string[]): number | undefined {
  for (let at = 0; at < rest.length; at += 1) {
    const text = rest[at] ?? "";
    if (!/^[-+]./u.test(text)) return ownWord?.test(text) === true ? undefined : at;
    if (last?.test(text) === true) return at + (/[cm]$/u.test(text) ? 2 : 1);
    if (flags.test(text)) continue;
    at += 1;
    // The value may be left out: `node -p -r x`.
    if (!valued.test(text) || rest[at]?.startsWith("-") === true) return undefined;
  }
  return rest.length;
}
