/** Where a program's own options end because a script or another command follows: `python x.py -m y` has no option of python. */
import { entriesForNames } from "../../lib/entries-for-names.ts";
import { containerCommandStart } from "../given/contained-command.ts";
import { takesNextWord } from "../options/operands.ts";
import { certainWord } from "../shell/text.ts";
import { commandStart, isStartCertain, shells } from "../shell/wrappers.ts";

interface ScriptRunner {
  /** Options without a value. */
  flags: RegExp;
  /** Options that take the next word. */
  valued: RegExp;
  /** With such an option, the code or module follows, and after it the words are the script's. */
  last?: RegExp;
}

const scriptRunners: ReadonlyMap<string, ScriptRunner> = new Map<string, ScriptRunner>([
  ...entriesForNames("python python3 pypy pypy3", {
    flags: /^-[bBdEhiIOPqRsStuvVx]+$/u,
    valued: /^-[bBdEiIOPqsSuvx]*[WX]$/u,
    last: /^-[bBdEiIOPqsSuvx]*[cm]/u,
  }),
  ["node", { flags: /^--(?:inspect|inspect-brk|watch|test|no-warnings)$/u, valued: /^(?:-[repC]|-pe|--import)$/u }],
  ...entriesForNames("perl ruby", { flags: /^-[nplswW]+$/u, valued: /^-[nplswW]*e$/u }),
  ...entriesForNames([...shells].join(" "), {
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
export function ownOptionsEnd(program: string, rest: readonly string[]): number | undefined {
  const words = rest.map(certainWord);
  if (program === "docker" || program === "podman") return containerCommandStart(words);
  const runner = scriptRunners.get(program);
  if (runner !== undefined) return scriptStart(runner, rest);
  const start = commandStart(program, words);
  return isStartCertain(program, words.slice(0, start)) ? start : undefined;
}

function scriptStart({ flags, valued, last }: ScriptRunner, rest: readonly string[]): number | undefined {
  for (let at = 0; at < rest.length; at += 1) {
    const text = rest[at] ?? "";
    if (!/^[-+]./u.test(text)) return at;
    if (last?.test(text) === true) return at + (/[cm]$/u.test(text) ? 2 : 1);
    if (valued.test(text)) at += 1;
    else if (!flags.test(text)) return undefined;
  }
  return rest.length;
}
