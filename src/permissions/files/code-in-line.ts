/** Finds the code that a line gives to interpreters, editors and consoles: as an option's value, as a document, or by printing it. */
import { basename } from "node:path";
import { textsOf, type LexedCommand } from "../shell/text.ts";
import { programName, type PlausibleCommand } from "../shell/unwrap.ts";
import { documentsRun, isInterpreter } from "./handed-words.ts";
import { isOption } from "./option-files.ts";

/** Other programs that take code from an option or their input. */
const consoles =
  /^(?:ex|n?vim?|view|gvim|mvim|vimdiff|ed|red|emacs(?:client)?|sqlite3|duckdb|psql|mysql|mariadb|mongosh|gdb|lldb|g?make|m4|gnuplot|octave|r|elixir|iex|groovy|scala|clojure|clj|bb|swift|kotlin|racket|guile|sbcl|ghci?|runghc|erl|crystal|nim|dc|bc|expect|jshell|dart|raku|swipl)$/u;
/** Programs of which any word may be code. */
const queryPrograms = /^(?:sqlite3|duckdb|psql)$/u;
/** Programs whose script stands in a document. Their other words are read elsewhere. */
const scriptPrograms = /^(?:g?sed|[gmn]?awk)$/u;
const codeSigns = /["'`()[\]{}<>|;!=\s]/u;
const startCommand = /^\+[^]/u;
/** Options that hold code in their own word. */
const gluedOption = /^(?:--?(?:ev[al]*|ex[a-z]*|print|cmd|command|run)=|-[A-Za-z]+(?![\w-]*=))/u;
const subcommand = /^(?:eval|exec)$/u;
/** A command with more names of programs counts as one that reads code. */
const maxPrograms = 100;
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
  if (!written.some(runsAnyCode)) return given;
  // Other documents of such programs are data.
  const own = written.map((each) => (isReader(each) || !runsAnyCode(each) ? each : { ...each, documents: [] }));
  return [...given, ...documentsRun(own, source), ...codePrinted(written)];
}

function isReader({ words }: LexedCommand): boolean {
  const places = words.flatMap((word, at) => (mayReadCode(programName(word) ?? "") ? [at] : []));
  return places.length > maxPrograms || places.some((at) => readsCode(words.slice(at)));
}

function mayReadCode(called: string): boolean {
  return runsCode(called) || scriptPrograms.test(called);
}

function runsAnyCode({ words }: LexedCommand): boolean {
  return words.some((word) => mayReadCode(programName(word) ?? ""));
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
function codePrinted(written: readonly LexedCommand[]): string[] {
  const found: string[] = [];
  const wordsOfPrograms = new Set<string>();
  // From the end, so that what follows a command is known.
  let isFed = false;
  let isNextPiped = false;
  for (const command of written.toReversed()) {
    const { words, redirects, before } = command;
    const called = programName(words[0]) ?? "";
    const isGiven = redirects.some(({ target, isWrite }) => isWrite && wordsOfPrograms.has(basename(target.text)));
    const isPrinting = called === "echo" || called === "printf";
    if (isPrinting && (isGiven || (isNextPiped && isFed))) {
      const printed = textsOf(words.slice(1)).join("\n");
      found.push(printed.replaceAll(String.raw`\n`, "\n"));
    }
    if (runsAnyCode(command)) for (const { text } of words) wordsOfPrograms.add(basename(text));
    isFed = isReader(command) || (isNextPiped && isFed);
    isNextPiped = before !== undefined && pipes.has(before);
  }
  return found;
}
