/** Commands that stand literally in code: `python3 -c 'os.system("x")'`, `node -e 'execSync("x")'`, `sed '1e x'`, `make --eval='a:; x'`. */
import { entriesForNames } from "../../lib/entries-for-names.ts";
import { isPlainSed } from "../shell/plain-sed.ts";
import { textsOf } from "../shell/text.ts";
import { combineReaders, optionReader, type GivenReader, type Words } from "./given-readers.ts";
import { optionValues, type GivenCommand } from "../shell/given-words.ts";

/** Calls that run a program, of any of these languages. */
const runningCall =
  /(?<![\w$])(?:(?:\w+\.)*(?:system2?|popen[23]?|p_?open3?|exec(?:Sync|File|FileSync|[lv]\w{0,2})?|spawn(?:Sync|[lv]\w{0,2})?|shell_exec|passthru|proc_open|pcntl_exec|getoutput|getstatusoutput|check_output|check_call|call|run|pipeline\w*|capture[23]?e?|execute|cmd|Command|shell|create_subprocess_\w+))\s*(?:\(|\s(?=["'%q])|(?=\{))\s*(?=([^\n;]{1,4000}))/gu;
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

/** Of the texts in a call, the first may be a line for a shell, or all of them the words of a command. */
function commandsInCode(code: string): string[] {
  const calls = [...code.matchAll(runningCall)].flatMap(([, rest = ""]) => {
    const texts = [...rest.matchAll(quoted)].map(([, double, single, back]) => double ?? single ?? back ?? "");
    const [first] = texts;
    return first === undefined ? [] : [first, texts.join(" "), texts.slice(1).join(" ")];
  });
  const others = otherForms.flatMap((form) => [...code.matchAll(form)].map(([, text = ""]) => text));
  return [...new Set([...calls, ...others])].filter((text) => text.trim() !== "");
}

const readCode: GivenReader = (rest) => commandsInCode(textsOf(rest).join("\n"));

/** `e x`, and the flag of `s` that runs the resulting text. */
const sedCommand = /(?:^|[\s;{}\d$/,!])e[ \t]+([^\n]+)/gu;
const sedRunsText = /[^\w\s][gpiIMm\d]*e[gpiIMm\d]*(?:[\s;}]|$)/u;

function commandsInSed(script: string): string[] {
  const run = [...script.matchAll(sedCommand)].map(([, text = ""]) => text);
  const sign = /s([^\sA-Za-z\d\\])/u.exec(script)?.[1];
  return sedRunsText.test(script) && sign !== undefined ? [...run, ...script.split(sign)] : run;
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
    const [, value = ""] =
      /^[^=]*(?:alias|runner|linker|rustc|wrapper|rustdoc)[^=]*=\s*\[?([^]*?)\]?$/u.exec(text) ?? [];
    const texts = [...value.matchAll(quoted)].map(([, double, single]) => double ?? single ?? "");
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
