/**
 * Options by which a program runs what it is told: their values are commands that rules may forbid, and an allow rule covers such an option
 * only if it names it. Git and GNU programs accept abbreviated long options.
 */
import type { Operands } from "./operands.ts";
import type { Program } from "./program-options.ts";

/** Options of their own that are not abbreviations of others. */
const unabbreviatedOptions = new Set(["--cc", "--checkpoint", "--to"]);

export function matchesOptionName(text: string, names: readonly string[]): boolean {
  return (
    names.includes(text) ||
    (/^--\w/u.test(text) && !unabbreviatedOptions.has(text) && names.some((name) => name.startsWith(text)))
  );
}

/** Whether one of the options is given, possibly abbreviated. */
export function hasOptionOrAbbreviation({ givenOptions }: Operands, ...names: readonly string[]): boolean {
  return givenOptions.some(({ name }) => matchesOptionName(name, names));
}

/** The program's options whose value is a command. */
export function commandOptions(program: Program | undefined): string[] {
  return program?.runningOptions.filter((name) => program.options.get(name)?.use === "runs") ?? [];
}

/** Whether the word is an option by which the program runs or writes what it is told. */
export function isRunningOption(program: Program | undefined, word: string): boolean {
  // Without a value, git only shows the path.
  if (program === undefined || word === "--exec-path") return false;
  const { runningOptions } = program;
  const [name = ""] = word.split("=");
  // Digits are options, too: `git grep -3O./x`.
  const letters = /^-([A-Za-z\d]+)/u.exec(word)?.[1] ?? "";
  return (
    matchesOptionName(name, runningOptions) ||
    runningOptions.some((each) => each.length === 2 && letters.includes(each.charAt(1)))
  );
}
