/** Checks the values of flags. Each checker returns the value or throws a `UsageError` that names the flag. */
import type { Environment } from "../lib/environment.ts";
import { UsageError } from "../lib/usage-error.ts";
import { permissionModes, type PermissionMode } from "../protocol/permission.ts";

export function oneOf<T extends string>(
  flag: string,
  value: string,
  known: readonly T[],
  notBuilt: readonly string[] = [],
): T {
  const wanted = value.toLowerCase();
  const found = known.find((name) => name.toLowerCase() === wanted);
  if (found !== undefined) return found;
  if (notBuilt.includes(wanted))
    throw new UsageError(`${flag} ${value} is not built yet; the values are ${joinWords(known)}.`);
  throw new UsageError(`${flag}: "${value}" is not one of ${joinWords(known)}.`);
}

/** By convention `manual` is another name for the mode `default`. */
export function parsePermissionMode(value: string): PermissionMode {
  return value.toLowerCase() === "manual" ? "default" : oneOf("--permission-mode", value, permissionModes);
}

function joinWords(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`;
}

export function parseInteger(flag: string, value: string, minimum: number): number {
  const number = /^\d{1,15}$/u.test(value.trim()) ? Number(value) : Number.NaN;
  if (!(number >= minimum)) throw new UsageError(`${flag} needs a whole number of ${minimum} or more, not "${value}".`);
  return number;
}

/** Returns the turn limit that the environment sets. */
export function maxTurnsFromEnvironment(env: Environment): number | undefined {
  const name = ["PAWL_MAX_TURNS", "CLAUDE_CODE_MAX_TURNS"].find((variable) => (env[variable] ?? "") !== "");
  return name === undefined ? undefined : parseInteger(name, env[name] ?? "", 1);
}

/** Accepts `500000`, `500k` and `1.5m`. */
export function parseTokenCount(flag: string, value: string, minimum: number): number {
  const count = parseTokens(value);
  if (count === undefined || count < minimum)
    throw new UsageError(
      `${flag} needs a number of tokens of ${minimum} or more, such as 500000 or 500k, not "${value}".`,
    );
  return count;
}

const [smallestWindow, largestWindow] = [100_000, 1_000_000];

/** The same within bounds; `auto` returns the upper bound. No model's window exceeds it, so it changes nothing. */
export function parseCompactWindow(flag: string, value: string): number {
  const count = value === "auto" ? largestWindow : parseTokens(value);
  if (count === undefined || count < smallestWindow || count > largestWindow)
    throw new UsageError(
      `${flag} needs auto or a number of tokens from ${smallestWindow} to ${largestWindow}, such as 400k, not "${value}".`,
    );
  return count;
}

function parseTokens(value: string): number | undefined {
  const [, digits, unit = ""] = /^(\d{1,12}(?:\.\d{1,6})?)([km]?)$/iu.exec(value.trim()) ?? [];
  const count = Number(digits ?? Number.NaN) * { "": 1, k: 1_000, m: 1_000_000 }[unit.toLowerCase() as "" | "k" | "m"];
  const isWhole = Number.isSafeInteger(Math.round(count)) && Math.abs(count - Math.round(count)) < 1e-6;
  return isWhole ? Math.round(count) : undefined;
}

/** US dollars above 0. Accepts an exponent, which programs write when little of a budget is left: `5e-7`. */
export function parseDollars(flag: string, value: string): number {
  const text = value.trim().replace(/^\$/u, "");
  const amount = /^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/iu.test(text) ? Number(text) : Number.NaN;
  if (!(amount > 0 && amount < Number.MAX_SAFE_INTEGER)) {
    throw new UsageError(`${flag} needs an amount of US dollars above 0, such as 0.50, not "${value}".`);
  }
  return amount;
}

export function parseUuid(flag: string, value: string): string {
  if (!/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu.test(value))
    throw new UsageError(`${flag} needs a UUID, not "${value}".`);
  return value.toLowerCase();
}

export function notEmpty(flag: string, value: string): string {
  if (value.trim() === "") throw new UsageError(`${flag} needs a value, and got an empty one.`);
  return value;
}
