/**
 * Commands of which only the shell will know what they run, against rules that forbid: for modes in which nobody is asked. Narrower
 * than what is asked about elsewhere, as ordinary commands are not to be refused for a rule that does not mean them.
 */
import { couldMatch, isExact, matchesCommand, type CommandPattern } from "./command-pattern.ts";
import { givenTexts, mayBecome, type CommandFacts, type CommandText } from "./command-rules.ts";
import type { Word } from "../shell/text.ts";
import { tooMuch, type PlausibleCommand } from "../shell/unwrap.ts";
import { nameInUnknownFolder } from "../shell/wrappers.ts";

/** Why the command may be one that the pattern forbids although it does not say so, in one clause; undefined where it may not. */
export function mayHide(pattern: CommandPattern, facts: CommandFacts): string | undefined {
  const { reading, all } = facts;
  if (reading.opaque !== undefined) return reading.opaque;
  const found = all.commands.find((command) => !command.isIdle && couldBe(pattern, command));
  const { given, isWhole } = givenTexts(pattern, facts);
  if (!isWhole) return tooMuch;
  const open = given.find((each) => mayBecome(pattern, each));
  const source = found?.words.find(({ unsure }) => unsure !== undefined)?.text ?? wordAt(open);
  if (source === undefined) return undefined;
  const shown = source.length > 60 ? `${source.slice(0, 59)}…` : source;
  return `what ${shown} becomes in it is known only when it runs`;
}

/** The one with which it is no longer certain. */
function wordAt(command: CommandText | undefined): string | undefined {
  if (command === undefined) return undefined;
  const { text, known } = command;
  return /^\S*/u.exec(text.slice(text.lastIndexOf(" ", known) + 1))?.[0];
}

function couldBe(pattern: CommandPattern, { words }: PlausibleCommand): boolean {
  const [program, ...rest] = words;
  if (program === undefined || words.every(({ unsure }) => unsure === undefined)) return false;
  const slash = program.text.lastIndexOf("/") + 1;
  if (program.unsure === undefined) {
    const name = program.text.slice(slash);
    return [program.text, name, name.toLowerCase()].some((each) => mayGoOn(pattern, each, rest));
  }
  const name = nameInUnknownFolder(program);
  if (name === undefined) return mayBegin(pattern, program, slash);
  const [first, isWhole] = firstWord(pattern);
  if (!isWhole) return true;
  return first.slice(first.lastIndexOf("/") + 1).toLowerCase() === name && mayGoOn(pattern, first, rest);
}

/** By its whole path or by its name alone, as far as either is certain. */
function mayBegin(pattern: CommandPattern, { text, known }: Word, slash: number): boolean {
  return couldMatch(pattern, text.slice(0, known)) || couldMatch(pattern, text.slice(slash, Math.max(slash, known)));
}

/** The pattern's first word, and whether a blank or its end follows it. */
function firstWord(pattern: CommandPattern): [string, boolean] {
  const head = pattern.pieces[0] ?? "";
  const blank = head.indexOf(" ");
  return blank >= 0 ? [head.slice(0, blank), true] : [head, endsHere(pattern)];
}

/** Nothing or a blank follows its one piece. */
function endsHere(pattern: CommandPattern): boolean {
  return isExact(pattern) || (pattern.pieces.length === 1 && pattern.endsAtWord);
}

function mayGoOn(pattern: CommandPattern, program: string, rest: readonly Word[]): boolean {
  let before = program;
  for (const word of rest) {
    before += " ";
    if (word.unsure === undefined) before += word.text;
    else return couldMatch(pattern, before + word.text.slice(0, word.known)) && mayBeNext(pattern, before.length, word);
  }
  return matchesCommand(pattern, before);
}

/** Names of files become the pattern's next word only where they can be called so. */
function mayBeNext(pattern: CommandPattern, start: number, word: Word): boolean {
  const head = pattern.pieces[0] ?? "";
  if (word.unsure !== "files" || head.length <= start) return true;
  const [next = "", ...more] = head.slice(start).split(" ");
  if (more.length === 0 && !endsHere(pattern)) return true;
  return matchesCommand({ pieces: word.text.split(/\[.*\]|[*?[]/u), endsAtWord: false }, next);
}
