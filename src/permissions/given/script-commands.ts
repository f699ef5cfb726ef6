/** Commands in scripts of other languages that exist to control programs, and in those of consoles that can leave to a shell. */
import { entriesForNames } from "../../lib/entries-for-names.ts";
import { fedCodeReader } from "./code-commands.ts";
import { combineReaders, optionReader, type GivenReader } from "./given-readers.ts";
import { optionValues } from "../shell/given-words.ts";
import { textsOf } from "../shell/text.ts";

/** A text in quotes. The shell's own quotes leave a script the other kind, and Tcl has braces. */
const quoted = String.raw`(?:"((?:\\[^]|[^"\\])*)"|'((?:\\[^]|[^'\\])*)'|\{([^{}]*)\})`;
/** What follows a word that runs or types a text, up to the end of its quotes. */
const quotedAfter = (verbs: string): RegExp => new RegExp(String.raw`(?:${verbs})[\s(]*${quoted}`, "giu");

const appleScript = [
  quotedAfter(
    String.raw`do\s+shell\s+script|do\s+script(?:\s+with\s+command)?|doShellScript|doScript|keystroke|write\s+text|writeText|\bcommand`,
  ),
];
const emacsLisp = [
  quotedAfter(String.raw`shell-command(?:-to-string)?|call-process(?:-shell-command)?|process-(?:lines|file)|compile`),
  quotedAfter(String.raw`start-process(?:-shell-command)?\s+"[^"]*"\s+[^\s"]+`),
];
const tcl = [
  /(?:^|[\s;[{])(?:spawn|exec|system)\s+(?:-\w+\s+)*([^\n;\]}]+)/gu,
  /\bopen\s+["{]?\|\s*([^\n"}]+)/gu,
  quotedAfter(String.raw`\b(?:exp_)?send(?:\s+-[a-z]+(?:\s+\d+)?|\s+--)*|\s-c`),
];
const awk = [
  quotedAfter(String.raw`\bsystem`),
  /"((?:\\[^]|[^"\\])*)"\s*\|&?\s*getline/gu,
  /(?<!\|)\|&?\s*"((?:\\[^]|[^"\\])*)"/gu,
];
/** `!x`, `r !x`, `1,$w !x`, `2 !x`. */
const lineEscapes = [/^[^\n!]*!([^\n]+)$/gmu];
const debuggerEscapes = [/^[ \t]*(?:!|(?:pl\w*[ \t]+)?she?l?l?[ \t])[ \t]*([^\n]+)$/gmu];
/** `.shell x` or shorter, and `.output |x`. */
const sqliteEscapes = [
  /^[ \t]*\.(?:she?l?l?|sys?t?e?m?)[ \t]+([^\n]+)$/gmu,
  /^[ \t]*\.[eior]\w*[ \t]+(?:-\S+[ \t]+)*["']?\|([^"'\n]+)/gmu,
];
/** `\! x`, `\o |x`, ``\set a `x` ``, `copy … to program 'x'`. */
const postgresEscapes = [
  /\\!([^\n]+)/gu,
  /\\[a-z]+[ \t]*\|([^\n]+)/gu,
  /\\[a-z]+[ \t][^\n`\\]*`([^\n`]+)`/gu,
  /\bprogram\s+'([^']*)'/giu,
];
const mysqlEscapes = [/\\[!P]([^\n]+)/gu, /^[ \t]*(?:system|pager)[ \t]+([^\n]+)$/gimu];
const transferEscapes = [...lineEscapes, /(?:^|[;&])[ \t]*shell[ \t]+([^\n]+)/gmu];

/** Programs of which any word may be a script, as may be what they read. */
const consoles: readonly (readonly [string, readonly RegExp[]])[] = [
  ...entriesForNames("gdb lldb", debuggerEscapes),
  ["sqlite3", sqliteEscapes],
  ["psql", postgresEscapes],
  ...entriesForNames("mysql mariadb", mysqlEscapes),
  ...entriesForNames("ftp lftp", transferEscapes),
  ...entriesForNames("ed dc", lineEscapes),
  ...entriesForNames("awk gawk mawk nawk", awk),
];

/** The texts that a script runs or types. */
function textsIn(script: string, forms: readonly RegExp[]): string[] {
  return forms.flatMap((form) =>
    [...script.matchAll(form)].map(([, ...found]) => {
      const text = found.find((each) => each !== undefined) ?? "";
      return text.replace(/\\[rn]/gu, "\n").replace(/\\([^])/gu, "$1");
    }),
  );
}

const scriptReader =
  (names: readonly string[], forms: readonly RegExp[]): GivenReader =>
  (rest) =>
    textsIn(optionValues(rest, ...names).join("\n"), forms);

/** The value of an option may be in its word: `-ex=x`, `-cx`. */
const optionInWord = [/^--?[\w-]+=/u, /^-\w/u];
const wordsReader =
  (forms: readonly RegExp[]): GivenReader =>
  (rest) => {
    const scripts = textsOf(rest).flatMap((text) => [
      text,
      ...optionInWord.flatMap((option) => (option.test(text) ? [text.replace(option, "")] : [])),
    ]);
    return textsIn(scripts.join("\n"), forms);
  };

export const scriptReaders: readonly (readonly [string, GivenReader])[] = [
  ["osascript", scriptReader(["-e"], appleScript)],
  ...entriesForNames("emacs emacsclient", scriptReader(["--eval", "--execute", "-eval", "-e"], emacsLisp)),
  ["expect", scriptReader(["-c"], tcl)],
  ...consoles.map(([name, forms]) => [name, wordsReader(forms)] as const),
  ...entriesForNames("mysql mariadb", combineReaders(optionReader("--pager"), wordsReader(mysqlEscapes))),
];

/** Programs that read a script, as above, if no option gives them one. */
const fedScripts: ReadonlyMap<string, readonly RegExp[]> = new Map([
  ...consoles,
  ["osascript", appleScript],
  ["emacs", emacsLisp],
  ...entriesForNames("expect tclsh", tcl),
  ...entriesForNames("sftp ex vi vim nvim", lineEscapes),
]);
/** Programs that read lines with commands of their own. */
const lineReaders = new Set(["tmux", "xdotool"]);

/** Whether the program may read commands from its input that are none of a shell's. */
export function readsScript(program: string): boolean {
  return lineReaders.has(program) || fedScripts.has(program) || fedCodeReader(program) !== undefined;
}

/** The commands in a text that is given to the program as its input. */
export function commandsInFedScript(program: string, text: string): string[] {
  if (lineReaders.has(program)) return text.split("\n").map((line) => `${program} ${line}`);
  return fedCodeReader(program)?.(text) ?? textsIn(text, fedScripts.get(program) ?? []);
}
