/** Finds the code that a line gives to interpreters, editors and consoles: as an option's value, as a document, or by printing it. */
import { basename } from "node:path";
import { textsOf, type LexedCommand } from "../shell/text.ts";
import { programName, type PlausibleCommand } from "../shell/unwrap.ts";
import { documentsRun, isInterpreter } from "./handed-words.ts";
import { isOption } from "./option-files.ts";

/** Other programs that take code from an option or their input. */
const consoles =
  /^(?:ex|n?vim?|view|gvim|mvim|vimdiff|ed|red|emacs(?:client)?|sqlite3|duckdb|psql|mysql|mariadb|mongosh|gdb|lldb|g?make|m4|gnuplot|octave|r|elixir|iex|groovy|scala|clojure|clj|bb|swift|kotlin|racket|guile|sbcl|ghci?|runghc|erl|crystal|nim|dc|bc|expect|jshell|dart|raku|swipl)$/u;
/** Words that name nothing: the options' own names, and single words without any sign of code. */
/** Programs of which any word may be code. */
const queryPrograms = /^(?:sqlite3|duckdb|psql)$/u;
/** Programs whose script stands in a document. Their other words are read elsewhere. */
const scriptPrograms = /^(?:g?sed|[gmn]?awk)$/u;
const codeSigns = /["'`()[\]{}<>|;!=\s]/u;
const startCommand = /^\+[^]/u;
/** Options that hold code in their own word. */
const gluedOption = /^(?:--?(?:ev[al]*|ex[a-z]*|print|cmd|command|run)=|-[A-Za-z]+(?![\w-]*=))/u;
const subcommand = /^(?:eval|exec)$/u;
const inputWord = /^(?:-|\/dev\/(?:stdin|fd\/0))$/u;

function runsCode(called: string): boolean {
  return isInterpreter(called) || consoles.test(called);
}

/** Every code that the line gives to a program. */
export function codeInLine(
  commands: readonly PlausibleCommand[],
  written: readonly LexedCommand[],
  source: string,
): string[] {
  const given = commands.flatMap(({ words, isIdle }) => {
    const called = programName(words[0]) ?? "";
    return isIdle || !runsCode(called) ? [] : codeInWords(called, textsOf(words.slice(1)));
  });
  const isReader = ({ words }: LexedCommand): boolean => words.some((_, at) => readsCode(words.slice(at)));
  if (!written.some(runsAnyCode)) return given;
  // Other documents of such programs are data.
  const own = written.map((each) => (isReader(each) || !runsAnyCode(each) ? each : { ...each, documents: [] }));
  return [...given, ...documentsRun(own, source), ...codePrinted(written, isReader)];
}

function runsAnyCode({ words }: LexedCommand): boolean {
  return words.some((word) => runsCode(programName(word) ?? "") || scriptPrograms.test(programName(word) ?? ""));
}

/** Whether the program reads its code from its input. Interpreters do so if they are given neither code nor a script. */
function readsCode([program, ...rest]: LexedCommand["words"]): boolean {
  const called = programName(program) ?? "";
  if (!isInterpreter(called)) return consoles.test(called) || scriptPrograms.test(called);
  const texts = textsOf(rest);
  return (
    codeInWords(called, texts).length === 0 &&
    (texts.some((text) => inputWord.test(text)) || texts.every((text) => isOption(text)))
  );
}

function codeInWords(called: string, texts: readonly string[]): string[] {
  return texts.flatMap((text, at) => {
    if (!codeSigns.test(text)) return [];
    if (startCommand.test(text)) return [text.slice(1)];
    if (text.startsWith("-")) return gluedOption.test(text) ? [text.replace(gluedOption, "")] : [];
    const before = texts[at - 1] ?? "";
    return isOption(before) || queryPrograms.test(called) || subcommand.test(before) ? [text] : [];
  });
}

const pipes = new Set(["|", "|&"]);

/** What `echo` and `printf` print into a program that reads its code there, or into a file that a program is given. */
function codePrinted(written: readonly LexedCommand[], isReader: (command: LexedCommand) => boolean): string[] {
  return written.flatMap((command, at) => {
    const called = programName(command.words[0]) ?? "";
    if (called !== "echo" && called !== "printf") return [];
    const later = written.slice(at + 1);
    const end = later.findIndex(({ before }) => before === undefined || !pipes.has(before));
    const fed = end < 0 ? later : later.slice(0, end);
    const files = command.redirects.flatMap(({ target, isWrite }) => (isWrite ? [basename(target.text)] : []));
    const isGiven = ({ words }: LexedCommand): boolean => words.some(({ text }) => files.includes(basename(text)));
    const isRun = fed.some(isReader) || later.some((each) => runsAnyCode(each) && isGiven(each));
    return isRun
      ? [
          textsOf(command.words.slice(1))
            .join("\n")
            .replaceAll(String.raw`\n`, "\n"),
        ]
      : [];
  });
}
