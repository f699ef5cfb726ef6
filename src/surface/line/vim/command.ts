/** Parses the keys of a command in Vim's normal and visual mode. */
import { clusters } from "../width.ts";

/** The operators that swap the case, or make small or capital letters. */
export type CaseOperator = "g~" | "gu" | "gU";
export type Operator = "d" | "c" | "y" | "<" | ">" | CaseOperator;

export interface Command {
  /** 1 if no count was typed. */
  count: number;
  hasCount: boolean;
  operator?: Operator;
  /** A motion, an object after an operator (`iw`), the operator again (a line), or a separate command. */
  what: string;
}

/** Returns whether an operator changes only letters, which leaves the cursor in its column. */
export function isCaseOperator(operator: Operator): operator is CaseOperator {
  return operator.startsWith("g");
}

const maxCount = 10_000;
const commandPattern = /^(?<count>[1-9]\d*)?(?:(?<operator>[dcy<>]|g[~uU])(?<again>[1-9]\d*)?)?(?<what>[^]*)$/u;
/** Keys that need a second one. */
const prefixes = new Set(["f", "F", "t", "T", "g", "r"]);

/** What Ctrl+R types in normal mode. */
export const redoKey = "\u0012";

/** The same in visual mode, where operators are separate commands and objects need no operator. */
export function parseVisualCommand(typed: string): Command | "more" {
  const { count, what = "" } = /^(?<count>[1-9]\d*)?(?<what>[^]*)$/u.exec(typed)?.groups ?? {};
  const keys = clusters(what);
  const [first] = keys;
  if (first === undefined || (keys.length === 1 && (first === "i" || first === "a" || prefixes.has(first))))
    return "more";
  return { count: Math.min(maxCount, Number(count ?? 1)), hasCount: count !== undefined, what };
}

/** Returns `more` if the command is not complete yet. */
export function parseCommand(typed: string): Command | "more" {
  const { count, operator, again, what = "" } = commandPattern.exec(typed)?.groups ?? {};
  const keys = clusters(what);
  const [first] = keys;
  const isObject = operator !== undefined && (first === "i" || first === "a");
  if (first === undefined || (keys.length === 1 && (isObject || prefixes.has(first)))) return "more";
  return {
    count: Math.min(maxCount, Number(count ?? 1) * Number(again ?? 1)),
    hasCount: count !== undefined || again !== undefined,
    ...(operator === undefined ? {} : { operator: operator as Operator }),
    what,
  };
}

/** Returns the keys of the same command with another count. */
export function withCount(keys: string, count: number): string {
  return String(count) + keys.replace(/^[1-9]\d*/u, "").replace(/^([dcy<>]|g[~uU])[1-9]\d*/u, "$1");
}
