/** Files that `sed` and `awk` scripts name in their own language. Finds more rather than fewer. */

import { flagRunsText, isPlainSed } from "../shell/plain-sed.ts";
import { anythingBelow } from "./written-paths.ts";

export interface ScriptWords {
  read: string[];
  written: string[];
}

const seds = new Set(["sed", "gsed", "ssed"]);
const awks = new Set(["awk", "gawk", "mawk", "nawk"]);
/** Signs that a command of sed or the flags of `s` may follow; other signs count only if a script uses them as delimiters. */
const usualSigns = String.raw`\s;{}\d$/!,`;
const chosenSign = /(?:(?<![A-HJ-LN-Za-z])[sy]|(?<![^\s;{},!])\\)([^\sA-Za-z\d\\])/gu;
/** The command's file extends to the end of the line. */
const sedFile = (signs: string): RegExp =>
  new RegExp(String.raw`(?:^|[${signs}])[gpiIMm]*([rRwWe])[ \t]*([^\s;}][^\n]*)`, "gu");
/** A script may be in the word of its option. */
const scriptOption = /^(?:--[a-z]+=|-[nrsuzE]*e)/u;
const awkString = /"((?:[^"\\\n]|\\.)*)"/gu;
/** Runs a command, which may change any file that it names. */
const runningAwk = /\bsystem\b|(?<!\|)\|(?!\|)/u;

/** Whether the script prints to a file or runs a command. */
function mayChangeFiles(script: string): boolean {
  const prints = (part: string): boolean => part.includes(">", part.search(/\bprintf?\b|$/u));
  return runningAwk.test(script) || script.split(/[;}\n]/u).some(prints);
}

export function scriptWords(program: string, texts: readonly string[]): ScriptWords {
  if (seds.has(program)) {
    if (isPlainSed(texts)) return { read: [], written: [] };
    const found = texts.flatMap((each) => sedFiles(each.replace(scriptOption, "")));
    const texted = texts.filter((each) => flagRunsText.test(each)).flatMap(splitBySigns);
    const run = [...filesOfCommand(found, /e/u).flatMap((each) => each.split(/\s+/u)), ...texted];
    return { read: [...filesOfCommand(found, /r/iu), ...run], written: filesOfCommand(found, /w/iu) };
  }
  if (!awks.has(program)) return { read: [], written: [] };
  const scripts = texts.filter((each) => /getline|[|>]|system|printf?\b/u.test(each));
  const quoted = scripts.flatMap((each) =>
    [...each.matchAll(awkString)].flatMap(([, inner = ""]) => [inner, ...inner.split(/\s+/u)]),
  );
  const set = texts.flatMap((each) => /^(?:-v)?\w+=([^]*)$/u.exec(each)?.[1] ?? []);
  const fileNames = [...quoted, ...set].filter((each) => each !== "");
  // More may be appended to the name.
  const all = fileNames.flatMap((each) => (each.endsWith("/") ? [each + anythingBelow.slice(1)] : [each]));
  return { read: all, written: scripts.some(mayChangeFiles) ? all : [] };
}

function sedFiles(script: string): [string, string][] {
  const chosen = new Set([...script.matchAll(chosenSign)].map(([, sign = ""]) => sign));
  const escaped = [...chosen].map((sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`).join("");
  const files = script.matchAll(sedFile(usualSigns + escaped));
  return [...files].map(([, command = "", file = ""]) => [command, file.trim()]);
}

function splitBySigns(script: string): string[] {
  const signs = new Set([...script.matchAll(chosenSign)].map(([, sign = ""]) => sign));
  return [...signs].flatMap((sign) => script.split(sign)).flatMap((each) => each.split(/\s+/u));
}

function filesOfCommand(commands: readonly [string, string][], command: RegExp): string[] {
  return commands.flatMap(([name, file]) => (command.test(name) ? [file] : []));
}
