/** Reads tool settings from the user's environment. */
import type { Environment } from "../lib/environment.ts";
import { yesOrNo } from "../lib/yes-or-no.ts";

/** A positive whole number from the environment, at most `maximum`; `fallback` if the variable is absent or malformed. */
export function environmentNumber(
  environment: Environment,
  name: string,
  fallback: number,
  maximum = Number.MAX_SAFE_INTEGER,
): number {
  const value = Number(environment[name]);
  return Number.isSafeInteger(value) && value > 0 ? Math.min(value, maximum) : fallback;
}

/** Whether the user allows work to outlast the call that started it. */
export function mayWorkInBackground(environment: Environment): boolean {
  return !environmentFlag(environment, "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", false);
}

/** `fallback` unless the variable says yes or no. */
export function environmentFlag(environment: Environment, name: string, fallback: boolean): boolean {
  return yesOrNo(environment[name]) ?? fallback;
}
