/** Environment variables as values. A value that makes no sense is ignored, with a notice of one sentence. */
import { yesOrNo } from "../../lib/yes-or-no.ts";
import type { Environment } from "../../lib/environment.ts";
import { environmentFlag } from "../../tools/variables.ts";

export interface Variables {
  /** A whole number in this range; undefined if unset or invalid. */
  number(name: string, minimum: number, maximum?: number): number | undefined;
  /** `1`, `true`, `yes`, `on`, or their opposites. */
  flag(name: string): boolean | undefined;
  /** One of these values, in any case. */
  oneOf<Value extends string>(name: string, values: readonly Value[]): Value | undefined;
  text(name: string): string | undefined;
}

export function variablesOf(env: Environment, notice: (text: string) => void): Variables {
  const passOver = (name: string, why: string): undefined => {
    notice(`${name} is ignored: ${why}.`);
    return undefined;
  };
  return {
    number(name, minimum, maximum) {
      const text = nonEmpty(env[name]);
      if (text === undefined) return undefined;
      const number = Number(text);
      if (Number.isSafeInteger(number) && number >= minimum && number <= (maximum ?? Infinity)) return number;
      return passOver(
        name,
        `it is not a whole number ${maximum === undefined ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`}`,
      );
    },
    flag(name) {
      const text = nonEmpty(env[name]);
      return text === undefined ? undefined : (yesOrNo(text) ?? passOver(name, "it is neither 1 nor 0"));
    },
    oneOf(name, values) {
      const text = nonEmpty(env[name])?.toLowerCase();
      const value = values.find((each) => each === text);
      return value === undefined && text !== undefined ? passOver(name, `it is none of ${values.join(", ")}`) : value;
    },
    text: (name) => nonEmpty(env[name]),
  };
}

/** An empty variable counts as unset: `VAR= pawl` switches it off. */
export function nonEmpty(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === "" ? undefined : value.trim();
}

/** Returns the whole number in the text, from `minimum` on; undefined if there is none. */
export function wholeNumber(text: string | undefined, minimum = 1): number | undefined {
  const number = nonEmpty(text) === undefined ? NaN : Number(text);
  return Number.isSafeInteger(number) && number >= minimum ? number : undefined;
}

/** Whether the session takes nothing that is found around it: no notes, nothing in the background. */
export function isBareSession(env: Environment): boolean {
  return environmentFlag(env, "CLAUDE_CODE_SIMPLE", false) || isSafeMode(env);
}

/** The same, but with all tools and without an output style: for finding out which customization is broken. */
export function isSafeMode(env: Environment): boolean {
  return environmentFlag(env, "CLAUDE_CODE_SAFE_MODE", false);
}
