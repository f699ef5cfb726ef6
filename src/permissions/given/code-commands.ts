/** Commands that stand literally in code: `python3 -c 'os.system("x")'`, `node -e 'execSync("x")'`, `sed '1e x'`, `make --eval='a:; x'`. */
import { entriesForNames } from "../../lib/entries-for-names.ts";
import { flagRunsText, isPlainSed } from "../shell/plain-sed.ts";
import { textsOf } from "../shell/text.ts";
import { combineReaders, optionReader, type GivenReader, type Words } from "./given-readers.ts";
import { optionValues, type GivenCommand } from "../shell/given-words.ts";

/** Calls that run a program, of any of these languages. */
const runningCall =
  /(?<![\w$])(?:system2?|popen[23]?|p_?open3?|exec(?:Sync|File|FileSync|[lv]\w{0,2})?|spawn(?:Sync|[lv]\w{0,2})?|shell_exec|passthru|proc_open|pcntl_exec|getoutput|getstatusoutput|check_output|check_call|call|run|pipeline\w*|capture[23]?e?|execute|cmd|Command|shell|create_subprocess_\w+)\s*(?:\(|\s(?=["'%q])|(?=\{))/gu;
const quotes = /["'`]/gu;
/** What may stand between a call and a text that is its first argument. */
const openingSigns = /^[\s[({]*[bfru]{0,2}$/iu;
const longText = /^("""|''')([^]*?)\1/u;
const maxCallLength = 4_000;
const maxCallTexts = 40;
/** Perl and Ruby have quotes of their own, and pipes to open. */
const otherForms = [
  /%x\s*[([{<|!]([^)\]}>|!\n]+)/gu,
  /\bqx\s*[([{<|!/]([^)\]}>|!/\n]+)/gu,
  /\b(?:system|exec)\s*\(?\s*qw?\s*[([{<|!/]([^)\]}>|!/\n]+)/gu,
  /\bopen\d?\s*\(?[^"'\n]{0,60}["']\s*\|-?\s*([^"'\n]+)/gu,
  /\bopen\d?\s*\(?[^"'\n]{0,60}["']([^"'|\n]+)\|\s*["']/gu,
  /["'](?:-\||\|-)["']\s*,\s*["']([^"'\n]+)["']/gu,
];
const quoted = /"((?:\\[^]|[^"\\])*)"|'((?:\\[^]|[^'\\])*)'|`((?:\\[^]|[^`\\])*)`/gu;
const openingText = new RegExp(`^(?:${quoted.source})`, "u");

function textsIn(code: string, limit = Number.POSITIVE_INFINITY): string[] {
  return Array.from(code.matchAll(quoted))
    .slice(0, limit)
    .map(([, double, single, back]) => double ?? single ?? back ?? "");
}

/** The texts that follow each call on its line. The text of the first argument may be longer than a line. */
function textsOfCalls(code: string): string[][] {
  // Of nested calls, the last one before the quote is the one that matters.
  const callEnds = new Map<number, number>();
  let quoteAt = -1;
  for (const call of code.matchAll(runningCall)) {
    const end = call.index + call[0].length;
    if (quoteAt < end) {
      quotes.lastIndex = end;
      quoteAt = quotes.exec(code)?.index ?? code.length;
    }
    callEnds.set(quoteAt, end);
  }
  return [...callEnds].flatMap(([at, end]) => {
    const before = code.slice(end, at);
    const isFirst = openingSigns.test(before);
    if (!isFirst && /[\n;]/u.test(before.trimStart())) return [];
    const rest = code.slice(at, at + maxCallLength);
    const { text, end: textEnd } = isFirst ? firstText(rest) : { text: undefined, end: 0 };
    const [line = ""] = rest.slice(textEnd).split(/[\n;]/u, 1);
    const more = textsIn(line, maxCallTexts);
    return [text === undefined ? more : [text, ...more]];
  });
}

/** The quoted text at the start and the index behind it. A text longer than what is read ends there. */
function firstText(rest: string): { text: string; end: number } {
  const [long, , inside = ""] = longText.exec(rest) ?? [];
  if (long !== undefined) return { text: inside, end: long.length };
  const [whole, ...inner] = openingText.exec(rest) ?? [];
  if (whole === undefined) return { text: rest.slice(1), end: rest.length };
  return { text: inner.find((each) => each !== undefined) ?? "", end: whole.length };
}

/** Of the texts in a call, the first may be a line for a shell, or all of them the words of a command. */
function commandsInCode(code: string): string[] {
  const calls = textsOfCalls(code).flatMap(([first = "", ...more]) => [
    first,
    [first, ...more].join(" "),
    more.join(" "),
  ]);
  const others = otherForms.flatMap((form) => [...code.matchAll(form)].map(([, text = ""]) => text));
  return [...new Set([...calls, ...others])].filter((text) => text.trim() !== "");
}

const readCode: GivenReader = (rest) => commandsInCode(textsOf(rest).join("\n"));

/** `e x` */
const sedCommand = /(?:^|[\s;{}\d$/,!])e[ \t]+([^\n]+)/gu;

function commandsInSed(script: string): string[] {
  const run = [...script.matchAll(sedCommand)].map(([, text = ""]) => text);
  const sign = /s([^\sA-Za-z\d\\])/u.exec(script)?.[1];
  return flagRunsText.test(script) && sign !== undefined ? [...run, ...script.split(sign)] : run;
}

const readSed: GivenReader = (rest) => (isPlainSed(textsOf(rest)) ? [] : textsOf(rest).flatMap(commandsInSed));

const makeForms = [
  /^\t[@+-]*(\S[^\n]*)$/gmu,
  /;[ \t]*[@+-]*([^\n;]+)/gu,
  /\$[({]shell\s+([^)}]*)/gu,
  /!=\s*([^\n]+)/gu,
  /\\t[@+-]*([^\\\n]+)/gu,
];

function commandsInMakefile(text: string): string[] {
  return makeForms.flatMap((form) => [...text.matchAll(form)].map(([, command = ""]) => command));
}

const readMake: GivenReader = (rest) => [
  ...optionValues(rest, "--eval", "-E").flatMap(commandsInMakefile),
  ...textsOf(rest).flatMap((text) => /^(?:SHELL|CC|CXX|MAKE)[:?+]*=([^]+)$/u.exec(text)?.[1] ?? []),
];

/** `--config 'target.x.runner="x"'` and aliases. */
const readCargo: GivenReader = (rest) =>
  optionValues(rest, "--config").flatMap((text) => {
    const [key = "", ...values] = text.split("=");
    if (!/alias|runner|linker|rustc|wrapper|rustdoc/u.test(key)) return [];
    const texts = textsIn(values.join("="));
    return texts.length === 0 ? [] : [texts.join(" ").replace(/^!/u, "")];
  });

const readWrapper: GivenReader = (rest) =>
  rest.flatMap(({ text }, at) => (text === "-wrapper" ? [(rest[at + 1]?.text ?? "").replaceAll(",", " ")] : []));

/** `npm config set script-shell x`. */
const readScriptShell: GivenReader = (rest) =>
  rest.flatMap(({ text }, at) => {
    const [, glued] = /^script-shell(?:=([^]*))?$/u.exec(text) ?? [null, null];
    return glued === null ? [] : [glued ?? rest[at + 1]?.text ?? ""];
  });

const codePrograms =
  "python pypy node nodejs deno bun tsx ts-node perl ruby php lua luajit julia r rscript elixir groovy";

const readers: ReadonlyMap<string, GivenReader> = new Map([
  ...entriesForNames(codePrograms, readCode),
  ...entriesForNames("sed gsed", readSed),
  ...entriesForNames("make gmake", readMake),
  ["cargo", readCargo],
  ...entriesForNames("gcc g++ cc c++", readWrapper),
  ...entriesForNames("npm pnpm yarn", combineReaders(optionReader("--script-shell"), readScriptShell)),
]);

const fedReaders: ReadonlyMap<string, (text: string) => string[]> = new Map([
  ...entriesForNames(codePrograms, commandsInCode),
  ...entriesForNames("sed gsed", commandsInSed),
  ...entriesForNames("make gmake", commandsInMakefile),
]);

/** `python3.12` is python. */
function withoutVersion(program: string): string {
  return program.replace(/[\d.]+$/u, "");
}

export function commandsInCodeWords(program: string, rest: Words): GivenCommand[] {
  return readers.get(withoutVersion(program))?.(rest) ?? [];
}

/** Reads a code that the program gets as its input; undefined if it takes none. */
export function fedCodeReader(program: string): ((text: string) => string[]) | undefined {
  return fedReaders.get(withoutVersion(program));
}
