/** Parses the variables of OpenTelemetry: switches, numbers, lists, and percent-encoded pairs. */
import type { Environment } from "../lib/environment.ts";
import { yesOrNo } from "../lib/yes-or-no.ts";

/** Sentences for people about values that could not be used as written. They never contain values that may be secret. */
export type Remarks = string[];

/** An empty variable counts as unset. */
export function textOf(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim();
  return text === "" ? undefined : text;
}

export function switchOf(env: Environment, name: string, fallback: boolean, remarks: Remarks): boolean {
  const text = textOf(env, name);
  const value = text === undefined ? fallback : yesOrNo(text);
  if (value === undefined) remarks.push(`${name} is "${text?.slice(0, 40)}": it is neither 1 nor 0, and is ignored.`);
  return value ?? fallback;
}

export function numberOf(env: Environment, name: string, fallback: number, remarks: Remarks): number {
  const text = textOf(env, name);
  if (text === undefined) return fallback;
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0 && number <= 2_147_483_647) return number;
  remarks.push(
    `${name} is "${text.slice(0, 40)}": it must be a whole number of milliseconds above 0; ${fallback} is used.`,
  );
  return fallback;
}

export function parseCommaList(text: string | undefined): string[] {
  return (text ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "");
}

const pairName = /^[!#$%&'*+\-.^_`|~\w/]+$/u;
/** The characters allowed in a header. */
export const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/u;
/** The characters allowed in an attribute. */
export const attributeValue = /^[\t\P{Cc}]*$/u;

/** Parses `a=1,b=two%20words`. `form`: the valid form of a decoded value. */
export function parsePairs(env: Environment, variable: string, form: RegExp, remarks: Remarks): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const pair of (env[variable] ?? "").split(",")) {
    if (pair.trim() === "") continue;
    const at = pair.indexOf("=");
    const name = pair.slice(0, Math.max(at, 0)).trim();
    const value = tryDecode(pair.slice(at + 1).trim());
    if (at > 0 && pairName.test(name) && value !== undefined && form.test(value)) pairs[name] = value;
    else remarks.push(`A part of ${variable} is not of the form name=value, and is left out.`);
  }
  return pairs;
}

function tryDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
