/** What is known of programs and git commands. The rows of the tables are parsed on first use, since most sessions need few of them. */
import { gitRows } from "./git-table.ts";
import { programRows } from "./program-table.ts";

export interface Option {
  /** `optional`: only in the same word; `number`: likewise, and a number. `path`: a file that is read. `two`: it takes two words. */
  value: "none" | "value" | "path" | "optional" | "number" | "two";
  /** `runs`: it runs the value. `orders`: the value says where something is written or where further orders come from. */
  use: "harmless" | "asked" | "runs" | "orders";
}

export interface Program {
  /** `-`: the program may not run without a question. */
  operands: "none" | "data" | "paths" | "pattern" | "names" | "reads" | "-";
  maxOperands: number;
  /** By name, such as `-x` or `--long`. */
  options: ReadonlyMap<string, Option>;
  /** The options by which the program runs or writes what it is told. */
  runningOptions: readonly string[];
  takesNumbers: boolean;
  /** Words that look like several short options but are a single one. */
  wholeOptions: readonly string[];
  /** With operands, an option must be given whose name contains one of these. */
  requiredOptionParts: readonly string[];
  deep: "always" | readonly string[];
  follows: "always" | readonly string[];
  /** With these, it shows the names in folders that links lead to. */
  lists: readonly string[];
  isAnywhere: boolean;
  isApart: boolean;
  isUnglued: boolean;
  isUnlisted: boolean;
  globs: boolean;
}

const optionUses = { "!": "asked", $: "runs", ">": "orders" } as const;
const valueKinds = { "": "none", "=": "value", "=@": "path", "==": "two", "[=]": "optional", "#": "number" } as const;
const optionForm = /^([!$>]?)(-[^-#][^=]*?|--.+?)(=[@=]?|\[=\]|#|)$/u;

function readRow(row: string): Program {
  const [, operands, ...tokens] = row.split(" ");
  const after = (mark: string): string[] =>
    tokens
      .find((token) => token.startsWith(mark))
      ?.slice(mark.length)
      .split(",") ?? [];
  const where = (mark: string): Program["deep"] => (tokens.includes(mark) ? "always" : after(`${mark}:`));
  const options = new Map<string, Option>();
  for (const token of tokens) {
    const [, mark = "", name = "", value = ""] = optionForm.exec(token) ?? [];
    const names = name.startsWith("--")
      ? [name]
      : name
          .slice(1)
          .split("")
          .map((letter) => `-${letter}`);
    const use = mark === "" ? "harmless" : optionUses[mark as keyof typeof optionUses];
    for (const each of names) options.set(each, { value: valueKinds[value as keyof typeof valueKinds], use });
  }
  return {
    operands: operands as Program["operands"],
    maxOperands: Number(after("*")[0] ?? Number.POSITIVE_INFINITY),
    options,
    runningOptions: [...options].flatMap(([name, { use }]) => (use === "runs" || use === "orders" ? [name] : [])),
    takesNumbers: tokens.includes("-#"),
    wholeOptions: after("whole:"),
    requiredOptionParts: after("?"),
    deep: where("deep"),
    follows: where("follows"),
    lists: after("lists:"),
    isAnywhere: tokens.includes("anywhere"),
    isApart: tokens.includes("apart"),
    isUnglued: tokens.includes("unglued"),
    isUnlisted: tokens.includes("unlisted"),
    globs: tokens.includes("globs"),
  };
}

export function createProgramLookup(text: string): (name: string) => Program | undefined {
  let rows: ReadonlyMap<string, string> | undefined;
  const known = new Map<string, Program>();
  const namesOf = (row: string): string[] => row.slice(0, row.indexOf(" ")).split(",");
  return (name) => {
    rows ??= new Map(
      text
        .trim()
        .split("\n")
        .flatMap((row) => namesOf(row).map((each) => [each, row])),
    );
    const row = rows.get(name);
    if (row !== undefined && !known.has(row)) known.set(row, readRow(row));
    return row === undefined ? undefined : known.get(row);
  };
}

export const knownProgram = createProgramLookup(programRows);
/** Keyed by names such as `remote:get-url`. */
export const gitCommand = createProgramLookup(gitRows);

/** Undefined for a program that may not run without a question. */
export function readOnlyProgram(name: string): Program | undefined {
  const program = knownProgram(name);
  return program?.operands === "-" ? undefined : program;
}
