/** Programs that a list of options cannot describe: the words that each may be given. */
import { entriesForNames } from "../../lib/entries-for-names.ts";
import { plainSedWords } from "../shell/plain-sed.ts";
import { readOnlyProgram } from "../options/program-options.ts";
import { isPlainAwk } from "./plain-awk.ts";
import { areProcessWords } from "./process-words.ts";
import {
  isPublicWord,
  isPublicEvenUnquoted,
  literalWord,
  loopProgram,
  globPaths,
  type ReadPath,
} from "../shell/read-words.ts";
import { printfSetsVariable } from "../shell/safe-variables.ts";
import { textsOf } from "../shell/text.ts";
import { isFixed, type ShellWord } from "../shell/step.ts";

type SpecialReader = (words: readonly ShellWord[]) => ReadPath[] | undefined;

const specialPrograms: Record<string, SpecialReader> = {
  // echo prints whatever words and names it gets.
  echo: (words) =>
    words.every((word) => isFixed(word) || word.kind === "glob" || isPublicEvenUnquoted(word))
      ? globPaths(words)
      : undefined,
  [loopProgram]: globPaths,
  printf: readsOfPrintf,
  date: (words) => (areDateWords(literalTexts(words)) ? [] : undefined),
  test: readsOfTest,
  "[": (words) => (words.at(-1)?.text === "]" ? readsOfTest(words.slice(0, -1)) : undefined),
  "[[": (words) => (words.every(({ kind }) => kind !== "unknown" && kind !== "stream") ? [] : undefined),
  set: (words) => (shellOptions.test(` ${literalTexts(words)?.join(" ") ?? ""}`) ? [] : undefined),
  command: (words) => (/^-[vV]$/u.test(words[0]?.text ?? "") && literalTexts(words) !== undefined ? [] : undefined),
  ps: (words) => (areProcessWords(literalTexts(words)) ? [] : undefined),
  find: readsOfFind,
  sed: readsOfSed,
  awk: readsOfAwk,
  gawk: readsOfAwk,
  jq: readsOfJq,
};

/**
 * Programs that print their version and then do nothing else, whatever is in the folder. Left out are those that may run a version of
 * themselves named by the folder (yarn, pnpm, cargo, go, dotnet) or options from its files (mvn), and those that contact registries.
 */
const versionPrograms = new Set(
  "node deno python python3 uv ruby perl php java gcc g++ clang make cmake bash docker gh tsc jq rg tmux vim curl".split(
    " ",
  ),
);

/** Shorter words by which these programs print their version. */
const shortVersions = new Map(
  Object.entries({
    node: "-v",
    deno: "-V",
    tsc: "-v",
    python: "-V",
    python3: "-V",
    ruby: "-v",
    perl: "-v",
    php: "-v",
    java: "-version",
  }),
);

export function asksVersion(program: string, [word, ...more]: readonly ShellWord[]): boolean {
  if (word?.kind !== "literal" || more.length > 0) return false;
  if (["--version", "--help"].includes(word.text) && canBeReadOnly(program)) return true;
  return versionPrograms.has(program) && (word.text === "--version" || word.text === shortVersions.get(program));
}

/** Whether the program is one that may only read, with suitable words. */
function canBeReadOnly(program: string): boolean {
  return readOnlyProgram(program) !== undefined || Object.hasOwn(specialPrograms, program);
}

export function specialReads(program: string, words: readonly ShellWord[]): ReadPath[] | undefined {
  return Object.hasOwn(specialPrograms, program) ? specialPrograms[program]?.(words) : undefined;
}

/** The words' texts, or undefined if a word is not literal. */
function literalTexts(words: readonly ShellWord[]): string[] | undefined {
  return words.every(({ kind }) => kind === "literal") ? textsOf(words) : undefined;
}

function readsOfShownWords(words: readonly ShellWord[]): ReadPath[] | undefined {
  return words.every((word) => isFixed(word) || word.kind === "glob" || isPublicWord(word))
    ? globPaths(words)
    : undefined;
}

function readsOfPrintf(words: readonly ShellWord[]): ReadPath[] | undefined {
  const [format] = words;
  const isPlain = format?.kind === "literal" && !format.text.startsWith("-");
  return isPlain && !printfSetsVariable(textsOf(words)) ? readsOfShownWords(words) : undefined;
}

function areDateWords(words: readonly string[] | undefined): boolean {
  if (words === undefined) return false;
  const joined = words.map((word) => (word.startsWith("+") ? "+" : word));
  for (let at = 0; at < joined.length; at += 1) {
    const word = joined[at] ?? "";
    if (word === "-d" || word === "-r") at += 1;
    else if (
      !/^(?:\+|-u|-R|-I(?:date|hours|minutes|seconds|ns)?|--(?:utc|universal|rfc-email)|--(?:date|iso-8601|rfc-3339)(?:=.*)?)$/u.test(
        word,
      )
    )
      return false;
  }
  return true;
}

const testWord = /^(?:-[abcdefghknoprstuwxzGLNOS]|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef)|[!=<>()]|==|!=|[^-].*|)$/su;

const fileTests = "defhLrswx".split("").map((letter) => `-${letter}`);

/** Options to stop at errors and at unset variables. */
const shellOptions = /^(?: [-+](?:[eu]+|[eu]*o pipefail))+$/u;

/** `-v` and `-R` evaluate subscripts in a name. A variable could hold such an option or name, unless its operator only compares texts. */
function readsOfTest(words: readonly ShellWord[]): ReadPath[] | undefined {
  const [first, second, third] = words;
  const comparesTexts =
    (words.length === 2 && isOneOf(first, ["-n", "-z"]) && isTextWord(second)) ||
    (words.length === 3 && isOneOf(second, ["=", "==", "!="]) && isTextWord(first) && isTextWord(third));
  const isFound = words.length === 2 && isOneOf(first, fileTests) && second?.isOne === true;
  if (comparesTexts || isFound) return [];
  const isPlain = words.every(
    ({ kind, text }) => (kind === "literal" && testWord.test(text) && !/\$|`/u.test(text)) || kind === "home",
  );
  return isPlain ? [] : undefined;
}

function isOneOf(word: ShellWord | undefined, names: readonly string[]): boolean {
  return word?.kind === "literal" && names.includes(word.text);
}

function isTextWord(word: ShellWord | undefined): boolean {
  return word?.kind === "literal" || word?.kind === "data";
}

/** The number of words that each test takes. */
const findTests = new Map([
  ...entriesForNames(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -mtime -ctime -atime -mmin -cmin -amin -perm -user -group -uid -gid -maxdepth -mindepth -links -inum -lname -ilname -printf -newermt -newerct -newer -anewer -cnewer",
    1,
  ),
  ...entriesForNames(
    "-empty -executable -readable -writable -nouser -nogroup -print -print0 -ls -prune -quit -depth -mount -xdev -follow -daystart -true -false -not -and -or -a -o ! ( ) -noleaf",
    0,
  ),
]);

function readsOfFind(words: readonly ShellWord[]): ReadPath[] | undefined {
  let at = 0;
  while (/^-[HLP]$/u.test(words[at]?.text ?? "")) at += 1;
  const paths: ReadPath[] = [];
  for (; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined || /^[-(!)]/u.test(word.text)) break;
    // A file that a bare glob finds may be named like one of find's own actions.
    if (!isFixed(word) && !(word.kind === "glob" && /^[\w./]/u.test(word.text) && !word.text.includes("..")))
      return undefined;
    paths.push({ word });
  }
  const isFollowing = words.some(({ text }) => text === "-L" || text === "-follow");
  if (isFollowing && paths.length === 0) paths.push({ word: literalWord(".") });
  if (isFollowing) for (const path of paths) path.follows = "folders";
  for (; at < words.length; at += 1) {
    const word = words[at];
    const next = words[at + 1];
    if (isOneOf(word, ["-newer", "-anewer", "-cnewer"]) && next !== undefined) paths.push({ word: next });
    const count = word?.kind === "literal" ? findTests.get(word.text) : undefined;
    if (count === undefined || words.slice(at + 1, at + 1 + count).some(({ kind }) => kind !== "literal"))
      return undefined;
    if (at + count >= words.length) return undefined;
    at += count;
  }
  return paths;
}

/** Scripts that print lines chosen by number or pattern, besides those that are fully parsed; sed can also write and run. */
const sedAddress = String.raw`(?:\d+|\$|\/(?:[^\/\\\n]|\\[^\n])*\/)`;
const sedScript = new RegExp(
  String.raw`^\s*(?:${sedAddress}(?:,(?:${sedAddress}|\+\d+))?)?p(?:\s*;\s*(?:${sedAddress}(?:,(?:${sedAddress}|\+\d+))?)?p)*;?\s*$`,
  "u",
);

function readsOfSed(words: readonly ShellWord[]): ReadPath[] | undefined {
  const plain = plainSedWords(textsOf(words));
  const isCertain =
    plain !== undefined && words.every(({ kind }, at) => kind === "literal" || plain.files.includes(at));
  if (isCertain) return toReadPaths(words.filter((_, at) => plain.files.includes(at)));
  const quiet = words.findIndex((word) => /^(?:-n|-nE|-En|-nr|-ne|--quiet|--silent)$/u.test(word.text));
  if (quiet !== 0) return undefined;
  const rest = words.slice(words[1]?.text === "-e" || words[1]?.text === "-E" || words[1]?.text === "-r" ? 2 : 1);
  const [script, ...paths] = rest;
  if (script?.kind !== "literal" || !sedScript.test(script.text)) return undefined;
  return toReadPaths(paths);
}

/** A single rule that prints fields, in a minimal subset of awk. */
const awkPattern = String.raw`(?:NR\s*(?:==|!=|<=?|>=?|%\s*\d+\s*==)\s*\d+(?:\s*(?:&&|\|\|)\s*NR\s*(?:==|!=|<=?|>=?)\s*\d+)*|\/(?:[^\/\\\n]|\\[^\n])*\/|\$\d+\s*(?:==|!=|~)\s*(?:"[^"\\\n]*"|\d+|\/(?:[^\/\\\n]|\\[^\n])*\/)|NF)`;
const awkField = String.raw`(?:\$(?:\d+|NF|\(NF-\d+\))|NR|NF|"[^"\\\n]*(?:\\[nt"][^"\\\n]*)*")`;
const awkScript = new RegExp(
  String.raw`^\s*(?:${awkPattern}\s*)?(?:\{\s*print(?:\s+${awkField}(?:\s*,\s*${awkField}|\s*${awkField})*)?\s*;?\s*\})?\s*$`,
  "u",
);

function readsOfAwk(words: readonly ShellWord[]): ReadPath[] | undefined {
  let at = 0;
  const first = words[0];
  if (first?.kind === "literal" && first.text === "-F") at = words[1]?.kind === "literal" ? 2 : 0;
  else if (first?.kind === "literal" && /^-F./u.test(first.text)) at = 1;
  const [script, ...paths] = words.slice(at);
  const isRead = script?.kind === "literal" && (awkScript.test(script.text) || isPlainAwk(script.text));
  if (!isRead || script.text.trim() === "" || script.text.startsWith("-")) return undefined;
  // An operand with an equals sign sets a variable.
  return paths.some(({ text }) => text.includes("=")) ? undefined : toReadPaths(paths);
}

const jqFlags =
  /^(?:-[crRsSMCnejaAh]+|--(?:compact-output|raw-output|raw-input|slurp|sort-keys|monochrome-output|color-output|null-input|exit-status|join-output|ascii-output|tab|unbuffered|stream))$/u;

/** The number of words that each option takes. */
const jqOptions = new Map([
  ["--indent", 1],
  ["--arg", 2],
  ["--argjson", 2],
]);

/** The filter itself may read the environment, the file's name or other modules. */
function readsOfJq(words: readonly ShellWord[]): ReadPath[] | undefined {
  const rest: ShellWord[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word?.kind !== "literal" || !word.text.startsWith("-") || word.text === "-") {
      if (word !== undefined) rest.push(word);
      continue;
    }
    const valueCount = jqOptions.get(word.text) ?? (jqFlags.test(word.text) ? 0 : -1);
    // A glob among the values may expand to several words, one of which would become the filter.
    if (valueCount < 0 || words.slice(at + 1, at + 1 + valueCount).some(({ kind }) => kind !== "literal"))
      return undefined;
    at += valueCount;
  }
  const [filter, ...paths] = rest;
  if (filter === undefined) return [];
  const isPlain =
    filter.kind === "literal" &&
    // Blanks and comments may separate `$` and the name.
    !/\$(?:[\s#]|ENV|__)|(?<!\.)\b(?:env|import|include|input_filename|debug|stderr|modulemeta|halt_error)\b/u.test(
      filter.text,
    );
  return isPlain ? toReadPaths(paths) : undefined;
}

function toReadPaths(paths: readonly ShellWord[]): ReadPath[] | undefined {
  const isPlain = paths.every(
    ({ kind, text }) =>
      (kind === "literal" && !text.startsWith("-")) ||
      kind === "home" ||
      kind === "stream" ||
      (kind === "glob" && /^[\w./]/u.test(text) && !text.includes("..")),
  );
  return isPlain ? paths.map((word) => ({ word })) : undefined;
}
