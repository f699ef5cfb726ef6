/** Commands in scripts of other languages that exist to control programs, and in those of consoles that can leave to a shell. */
import { entriesForNames } from "../../lib/entries-for-names.ts";
import { optionValues, type GivenCommand } from "../shell/given-words.ts";
import { textsOf, type Word } from "../shell/text.ts";

type GivenReader = (rest: readonly Word[]) => GivenCommand[];

/** What follows a word that runs or types a text, up to the end of its quotes. */
const quotedAfter = (verbs: string): RegExp => new RegExp(`(?:${verbs})[\\s(]*"((?:\\\\[^]|[^"\\\\])*)"`, "giu");

const appleScript = quotedAfter(
  "do\\s+shell\\s+script|do\\s+script(?:\\s+with\\s+command)?|doShellScript|doScript|keystroke|write\\s+text|writeText|\\bcommand",
);
const emacsLisp = quotedAfter("shell-command(?:-to-string)?|call-process-shell-command|process-lines|compile");
const tclText = quotedAfter("\\b(?:exp_)?send(?:\\s+-[a-z]+(?:\\s+\\d+)?|\\s+--)*");
const tclCommand = /(?:^|[\s;[{])(?:spawn|exec|system)\s+(?:-\w+\s+)*([^\n;\]}]+)/gu;

/** `!x` of ed and ftp, `\\! x` of database consoles, `.shell x` of sqlite3, `shell x` of gdb. */
const shellEscape = /^[ \t]*(?:r[ \t]*)?(?:\\?!|\.(?:shell|system)[ \t]|shell[ \t])[ \t]*([^ \t\n][^\n]*)$/gmu;
const awkCalls = quotedAfter("\\bsystem");

/** The texts that a script runs or types. */
function textsIn(script: string, ...forms: readonly RegExp[]): string[] {
  return forms.flatMap((form) =>
    [...script.matchAll(form)].map(([, text = ""]) => text.replace(/\\[rn]/gu, "\n").replace(/\\([^])/gu, "$1")),
  );
}

const scriptReader =
  (names: readonly string[], ...forms: readonly RegExp[]): GivenReader =>
  (rest) =>
    textsIn(optionValues(rest, ...names).join("\n"), ...forms);

const allWords =
  (...forms: readonly RegExp[]): GivenReader =>
  (rest) =>
    textsIn(textsOf(rest).join("\n"), ...forms);

export const scriptReaders: readonly [string, GivenReader][] = [
  ["osascript", scriptReader(["-e"], appleScript)],
  ...entriesForNames("emacs emacsclient", scriptReader(["--eval", "--execute", "-eval", "-e"], emacsLisp)),
  ["expect", scriptReader(["-c"], tclCommand, tclText)],
  ...entriesForNames("gdb lldb sqlite3 psql mysql mariadb ftp lftp", allWords(shellEscape)),
  ...entriesForNames("awk gawk mawk nawk", allWords(awkCalls)),
];

/** Programs that read a script, as above, if no option gives them one. */
const fedScripts: ReadonlyMap<string, readonly RegExp[]> = new Map([
  ["osascript", [appleScript]],
  ...entriesForNames("expect tclsh", [tclCommand, tclText]),
  ...entriesForNames("gdb lldb sqlite3 psql mysql mariadb ftp lftp sftp ed ex dc", [shellEscape]),
]);

/** The commands in a text that is given to the program as its input. */
export function commandsInFedScript(program: string, text: string): string[] {
  return textsIn(text, ...(fedScripts.get(program) ?? []));
}
