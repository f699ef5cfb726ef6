/** Reads tool settings from the user's environment. */
import { yesOrNo } from "../lib/yes-or-no.ts";

export type Variables = Readonly<Record<string, string | undefined>>;

/** A positive whole number from the environment, at most `maximum`; `fallback` if the variable is absent or malformed. */
export function environmentNumber(
  environment: Variables,
  name: string,
  fallback: number,
  maximum = Number.MAX_SAFE_INTEGER,
): number {
  const value = Number(environment[name]);
  return Number.isSafeInteger(value) && value > 0 ? Math.min(value, maximum) : fallback;
}

/** Whether the user allows work to outlast the call that started it. */
export function mayWorkInBackground(environment: Variables): boolean {
  return !environmentFlag(environment, "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", false);
}

/** `fallback` unless the variable says yes or no. */
export function environmentFlag(environment: Variables, name: string, fallback: boolean): boolean {
  return yesOrNo(environment[name]) ?? fallback;
}
