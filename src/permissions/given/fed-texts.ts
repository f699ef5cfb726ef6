/** Texts that a line prints or holds as documents, for programs that run or type what they read. */
import { basename } from "node:path";
import { entriesForNames } from "../../lib/entries-for-names.ts";
import { commandsInFedScript, readsScript } from "./script-commands.ts";
import { commandOptionIndex, shellOperands } from "../shell/fed-shells.ts";
import { textsOf, type LexedCommand, type Word } from "../shell/text.ts";
import { programName, type PlausibleCommand } from "../shell/unwrap.ts";
import { commandStart, shells } from "../shell/wrappers.ts";

/** Programs that later run, or type, what they read: always, or if a word says so. */
const deferringPrograms: ReadonlyMap<string, RegExp | undefined> = new Map([
  ...entriesForNames("at batch crontab", undefined),
  ["tmux", /^(?:-|\/dev\/stdin)$/u],
  ...entriesForNames("kitty kitten", /^--(?:stdin|from-file)/u),
  ["wezterm", /^send-text$/u],
  ...entriesForNames("xdotool ydotool", /^--file/u),
  ["wtype", /^-$/u],
  ["dtach", /^-p$/u],
]);
/** What they write is among their words, also behind `sudo`. */
const writingPrograms = new Set(["tee", "dd", "sponge"]);
const copyingPrograms = new Set(["cp", "mv", "install", "ln"]);
const startFileOption = /^--?(?:rcfile|init-file)$/u;
/** Options with which programs only list or change later jobs, or only hold a connection, and read nothing. */
const nonReadingOptions: ReadonlyMap<string, RegExp> = new Map([
  ["at", /^-[lrdc]/u],
  ["crontab", /^-[ler]$/u],
  ["ssh", /^-[46ACGKMTVXYafgknqstvxy]*N/u],
]);
/** Only months and weekdays have names; otherwise the words of a command could be taken for a time. */
const cronTime = /^\s*(?:@\w+|(?:[\d*,/~-]+\s+){3}[\d*,/A-Za-z-]+\s+[\d*,/A-Za-z-]+)\s+/u;

/**
 * Texts that may reach a program that reads its commands from there: through a pipe, as a document, or through a file that the line writes
 * and runs. `readers`: the commands that may read them.
 */
export function textsFedIn(readers: readonly PlausibleCommand[], written: readonly LexedCommand[]): string[] {
  const texts = written.flatMap(({ words, documents }) => {
    const isPrinted = ["echo", "printf"].includes(programName(words[0]) ?? "");
    const printed = textsOf(words.slice(1));
    return [...(isPrinted ? [printed.join(" "), ...printed] : []), ...documents];
  });
  const fed = texts.map(withoutCronTimes);
  if (fed.length === 0) return [];
  const programs = new Set(readers.map(({ words }) => programName(words[0]) ?? "").filter(readsScript));
  // In a makefile, `@x` is no time.
  const scripts = new Set([...fed, ...texts]);
  const scripted = [...programs].flatMap((program) =>
    [...scripts].flatMap((text) => commandsInFedScript(program, text)),
  );
  const files = namesWritten(written);
  const isFed = readers.some(({ words }) => runsItsInput(words) || runsFile(words, files));
  return isFed ? [...fed, ...scripted] : scripted;
}

/** The names of the files that the commands write: with redirections, with `tee` and `dd`, and as copies of such files. */
function namesWritten(written: readonly LexedCommand[]): Set<string> {
  const files = new Set(["stdin"]);
  for (const { words, redirects } of written) {
    const targets = redirects.flatMap(({ target, isWrite }) => (isWrite ? [target] : []));
    const at = words.findIndex((word) => writingPrograms.has(programName(word) ?? ""));
    const named = at < 0 ? [] : words.slice(at + 1);
    const copied = copyingPrograms.has(programName(words[0]) ?? "") ? words.slice(1) : [];
    const isCopy = copied.some(({ text }) => files.has(basename(text)));
    for (const { text } of [...targets, ...named, ...(isCopy ? copied : [])])
      files.add(basename(text.replace(/^of=/u, "")));
  }
  return files;
}

/** Whether the program is one of the files, or a shell that runs one of them. Behind `-c`, any word may be run. */
function runsFile([first, ...rest]: readonly Word[], files: ReadonlySet<string>): boolean {
  const program = programName(first) ?? "";
  const isNamed = ({ text }: Word): boolean => files.has(basename(text));
  if (shells.has(program) || program === "source" || program === ".") {
    const isAnyRun = commandOptionIndex(program, rest) >= 0 || rest.some(({ text }) => startFileOption.test(text));
    return (isAnyRun ? rest : shellOperands(rest).slice(0, 1)).some(isNamed);
  }
  return first !== undefined && first.text.includes("/") && isNamed(first);
}

/** Whether the program reads commands from its input and runs them: later, elsewhere, or in a container. */
function runsItsInput([first, ...rest]: readonly Word[]): boolean {
  const program = programName(first) ?? "";
  if (rest.some(({ text }) => nonReadingOptions.get(program)?.test(text) === true)) return false;
  if (program === "ssh") return commandStart(program, rest) >= rest.length;
  const mark = deferringPrograms.get(program);
  if (mark !== undefined) return rest.some(({ text }) => mark.test(text));
  return deferringPrograms.has(program) || (shells.has(program) && rest.every(({ text }) => /^-(?!\w*c)/u.test(text)));
}

function withoutCronTimes(text: string): string {
  const lines = text.replaceAll("\\n", "\n").split("\n");
  return lines.map((line) => line.replace(cronTime, "")).join("\n");
}
