/** Files that scripts of `sed` and `awk` name in their own language. More are seen than may be meant. */

import { isPlainSed } from "../shell/plain-sed.ts";
import { anythingBelow } from "./written-paths.ts";

export interface ScriptWords {
  read: string[];
  written: string[];
}

const seds = new Set(["sed", "gsed", "ssed"]);
const awks = new Set(["awk", "gawk", "mawk", "nawk"]);
/** Behind these a command of sed may stand, or the flags of `s`; behind other signs only where a script puts one in their place. */
const usualSigns = String.raw`\s;{}\d$/!,`;
const chosenSign = /(?:(?<![A-HJ-LN-Za-z])[sy]|(?<![^\s;{},!])\\)([^\sA-Za-z\d\\])/gu;
/** Up to the end of the line is the command's file. */
const sedFile = (signs: string): RegExp =>
  new RegExp(String.raw`(?:^|[${signs}])[gpiIMm]*([rRwWe])[ \t]*([^\s;}][^\n]*)`, "gu");
/** The flag of `s` that runs what it has made. */
const runsText = /[^\w\s][gpiIMm\d]*e[gpiIMm\d]*(?:[\s;}]|$)/u;
/** A script may stand in the word of its option. */
const withOption = /^(?:--[a-z]+=|-[nrsuzE]*e)/u;
const text = /"((?:[^"\\\n]|\\.)*)"/gu;

export function scriptWords(program: string, texts: readonly string[]): ScriptWords {
  if (seds.has(program)) {
    if (isPlainSed(texts)) return { read: [], written: [] };
    const found = texts.flatMap((each) => sedFiles(each.replace(withOption, "")));
    const texted = texts.filter((each) => runsText.test(each)).flatMap(dividedBySigns);
    const run = [...wordsOf(found, /e/u).flatMap((each) => each.split(/\s+/u)), ...texted];
    return { read: [...wordsOf(found, /r/iu), ...run], written: wordsOf(found, /w/iu) };
  }
  if (!awks.has(program)) return { read: [], written: [] };
  const scripts = texts.filter((each) => /getline|[|>]|system|printf?\b/u.test(each));
  const quoted = scripts.flatMap((each) =>
    [...each.matchAll(text)].flatMap(([, inner = ""]) => [inner, ...inner.split(/\s+/u)]),
  );
  const set = texts.flatMap((each) => /^(?:-v)?\w+=([^]*)$/u.exec(each)?.[1] ?? []);
  const named = [...quoted, ...set].filter((each) => each !== "");
  // More of the name may be put behind it.
  const all = named.flatMap((each) => (each.endsWith("/") ? [each + anythingBelow.slice(1)] : [each]));
  return { read: all, written: scripts.some((each) => /\bprintf?\b[^;}\n]*>/u.test(each)) ? all : [] };
}

function sedFiles(script: string): [string, string][] {
  const chosen = new Set([...script.matchAll(chosenSign)].map(([, sign = ""]) => sign));
  const escaped = [...chosen].map((sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`).join("");
  const files = script.matchAll(sedFile(usualSigns + escaped));
  return [...files].map(([, command = "", file = ""]) => [command, file.trim()]);
}

function dividedBySigns(script: string): string[] {
  const signs = new Set([...script.matchAll(chosenSign)].map(([, sign = ""]) => sign));
  return [...signs].flatMap((sign) => script.split(sign)).flatMap((each) => each.split(/\s+/u));
}

function wordsOf(found: readonly [string, string][], command: RegExp): string[] {
  return found.flatMap(([name, file]) => (command.test(name) ? [file] : []));
}
