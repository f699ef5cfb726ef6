/**
 * Matches forbidding rules against commands whose effect only the shell will know, for modes in which nobody is asked. Narrower than the
 * questions of other modes: ordinary commands must not be refused for a rule that does not mean them.
 */
import { couldMatch, matchesCommand, type CommandPattern } from "./command-pattern.ts";
import { textsWithAssignments, mayStillMatch, type CommandFacts, type CommandText } from "./command-rules.ts";
import type { Word } from "../shell/text.ts";
import { tooMuchText, type PlausibleCommand } from "../shell/unwrap.ts";
import { nameInUnknownFolder } from "../shell/wrappers.ts";

/** The reason, in one clause, why the command may be one that the pattern forbids without showing it, or undefined if it cannot be. */
export function hiddenMatchReason(pattern: CommandPattern, facts: CommandFacts): string | undefined {
  const { reading, reachable } = facts;
  if (reading.opaque !== undefined) return reading.opaque;
  const found = reachable.commands.find((command) => !command.isIdle && mayMatchPattern(pattern, command));
  const { assignedTexts, isWhole } = textsWithAssignments(pattern, facts);
  if (!isWhole) return tooMuchText;
  const open = assignedTexts.find((each) => mayStillMatch(pattern, each));
  const source = found?.words.find(({ unsure }) => unsure !== undefined)?.text ?? firstUncertainWord(open);
  if (source === undefined) return undefined;
  const shown = source.length > 60 ? `${source.slice(0, 59)}…` : source;
  return `what ${shown} expands to is known only when the command runs`;
}

/** The word at which the command stops being certain. */
function firstUncertainWord(command: CommandText | undefined): string | undefined {
  if (command === undefined) return undefined;
  const { text, known } = command;
  return /^\S*/u.exec(text.slice(text.lastIndexOf(" ", known) + 1))?.[0];
}

function mayMatchPattern(pattern: CommandPattern, { words }: PlausibleCommand): boolean {
  const [program, ...rest] = words;
  if (program === undefined || words.every(({ unsure }) => unsure === undefined)) return false;
  const slash = program.text.lastIndexOf("/") + 1;
  if (program.unsure === undefined) {
    const name = program.text.slice(slash);
    return [program.text, name, name.toLowerCase()].some((each) => argumentsMayMatch(pattern, each, rest));
  }
  const name = nameInUnknownFolder(program);
  if (name === undefined) return programMayMatch(pattern, program, slash);
  const [first, isWhole] = firstWord(pattern);
  if (!isWhole) return true;
  return first.slice(first.lastIndexOf("/") + 1).toLowerCase() === name && argumentsMayMatch(pattern, first, rest);
}

/** Matches the program by its whole path or by its name alone, as far as either is certain. */
function programMayMatch(pattern: CommandPattern, { text, known }: Word, slash: number): boolean {
  return couldMatch(pattern, text.slice(0, known)) || couldMatch(pattern, text.slice(slash, Math.max(slash, known)));
}

/** The pattern's first word, and whether a blank or its end follows it. */
function firstWord(pattern: CommandPattern): [string, boolean] {
  const head = pattern.pieces[0] ?? "";
  const blank = head.indexOf(" ");
  return blank >= 0 ? [head.slice(0, blank), true] : [head, pattern.pieces.length === 1];
}

function argumentsMayMatch(pattern: CommandPattern, program: string, rest: readonly Word[]): boolean {
  let before = program;
  for (const word of rest) {
    before += " ";
    if (word.unsure === undefined) before += word.text;
    else
      return (
        couldMatch(pattern, before + word.text.slice(0, word.known)) && globMayMatchNext(pattern, before.length, word)
      );
  }
  return matchesCommand(pattern, before);
}

/** A glob can match the pattern's next word only if a file of that name would match the glob. */
function globMayMatchNext(pattern: CommandPattern, start: number, word: Word): boolean {
  const head = pattern.pieces[0] ?? "";
  if (word.unsure !== "files" || head.length <= start) return true;
  const [next = "", ...more] = head.slice(start).split(" ");
  if (more.length === 0 && pattern.pieces.length !== 1) return true;
  return matchesCommand({ pieces: word.text.split(/\[.*\]|[*?[]/u), endsAtWord: false }, next);
}
