/** Checks of the options, made before anything is read or written. */
import { isRecord } from "../../lib/is-record.ts";
import { refuseIf } from "./check-arguments.ts";
import { checkOptionNames } from "./option-names.ts";
import { optionNames, ruleOf } from "./option-rules.ts";
import type { EngineOptions } from "./options.ts";

/** Throws `UsageError` for options from which no session can be made. */
export function checkOptions(options: EngineOptions): void {
  checkOptionNames(options, options.onNotice ?? (() => undefined));
  for (const name of optionNames) checkOption(name, options);
}

/** Expects that the kinds were checked. */
function checkOption<Name extends keyof EngineOptions>(name: Name, options: EngineOptions): void {
  const value = options[name];
  if (value === undefined || value === null) return;
  const { words, functions, check } = ruleOf(name);
  if (words !== undefined) checkWords(name, words, value);
  if (functions !== undefined) checkFunctions(name, functions as readonly string[], value);
  check?.(value, options);
}

function checkWords(name: string, words: readonly unknown[], value: unknown): void {
  const other = [value].flat().find((word) => !words.includes(word));
  refuseIf(other !== undefined, `${name} must be one of ${words.join(", ")}, not ${String(other).slice(0, 80)}.`);
}

function checkFunctions(name: string, functions: readonly string[], value: unknown): void {
  const isWhole = isRecord(value) && functions.every((each) => typeof value[each] === "function");
  refuseIf(!isWhole, `${name} must be an object with the functions ${functions.join(", ")}.`);
}
