/** Variables of the environment as values. What cannot be meant is passed over, in one sentence. */
import { yesOrNo } from "../../lib/yes-or-no.ts";
import { environmentFlag } from "../../tools/variables.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Variables {
  /** A whole number in this range; undefined where there is none. */
  number(name: string, least: number, most?: number): number | undefined;
  /** `1`, `true`, `yes`, `on`, or their opposites. */
  flag(name: string): boolean | undefined;
  /** One of these, in whatever case. */
  oneOf<Value extends string>(name: string, values: readonly Value[]): Value | undefined;
  text(name: string): string | undefined;
}

export function variablesOf(env: Environment, notice: (text: string) => void): Variables {
  const passOver = (name: string, why: string): undefined => {
    notice(`${name} is passed over: ${why}.`);
    return undefined;
  };
  return {
    number(name, least, most) {
      const text = given(env[name]);
      if (text === undefined) return undefined;
      const number = Number(text);
      if (Number.isSafeInteger(number) && number >= least && number <= (most ?? Infinity)) return number;
      return passOver(name, `it is no whole number from ${least} ${most === undefined ? "on" : `to ${most}`}`);
    },
    flag(name) {
      const text = given(env[name]);
      return text === undefined ? undefined : (yesOrNo(text) ?? passOver(name, "it is neither 1 nor 0"));
    },
    oneOf(name, values) {
      const text = given(env[name])?.toLowerCase();
      const value = values.find((each) => each === text);
      return value === undefined && text !== undefined ? passOver(name, `it is none of ${values.join(", ")}`) : value;
    },
    text: (name) => given(env[name]),
  };
}

/** Unset and empty are the same: `VAR= pawl` switches a variable off. */
export function given(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === "" ? undefined : value.trim();
}

/** From `least` on; undefined for what is none. */
export function wholeNumber(text: string | undefined, least = 1): number | undefined {
  const number = given(text) === undefined ? NaN : Number(text);
  return Number.isSafeInteger(number) && number >= least ? number : undefined;
}

/** A session without what is found around it: no notes, nothing in the background. */
export function isBare(env: Environment): boolean {
  return environmentFlag(env, "CLAUDE_CODE_SIMPLE", false) || isSafe(env);
}

/** The same, with all tools, and without a style: to find out what of all that is broken. */
export function isSafe(env: Environment): boolean {
  return environmentFlag(env, "CLAUDE_CODE_SAFE_MODE", false);
}
