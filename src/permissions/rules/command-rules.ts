/** Matches one shell command against one `Bash(…)` pattern: strictly for allow rules, suspiciously for deny and ask rules. */
import {
  couldMatch,
  splitFirstWord,
  isExactPattern,
  isPrefixPattern,
  matchesCommand,
  type CommandPattern,
} from "./command-pattern.ts";
import { findIndirectCommands, readGivenCommand, assignmentWordsIn } from "../given/indirect-commands.ts";
import type { ShellLimits } from "../shell/shell-limits.ts";
import { hasHole, withoutBraces } from "../shell/fill.ts";
import { isFixed, textForMatching, type ShellWord } from "../shell/step.ts";
import { isFeedingXargs, frontLength } from "./front-words.ts";
import { matchesOtherSpelling } from "./other-spellings.ts";
import { findRenamedPrograms } from "./renamed-programs.ts";
import { coversReadingOnly, isHarmlessGit, mayRunMore } from "./runs-more.ts";
import { withGitSubcommand, readCommand, type CommandReading } from "../shell/words.ts";
import type { Word } from "../shell/text.ts";
import { programName, tooMuchText, type PlausibleCommand } from "../shell/unwrap.ts";
import { assignmentForm, shells, textRunners } from "../shell/wrappers.ts";

export interface CommandText {
  text: string;
  /** How many leading characters of the text are certain. */
  known: number;
}

export interface CommandFacts {
  command: string;
  reading: CommandReading;
  /** Every command that may run, including those that other programs run from their arguments, and the words these were read from. */
  reachable: Pick<CommandReading, "commands" | "rawCommands">;
  /** Each of the commands as text, under every name its program may be called by. */
  texts: CommandText[];
}

export function commandFacts(command: string, shell?: "sh", limits?: ShellLimits): CommandFacts {
  const read = readCommand(command, shell, limits);
  const indirect = findIndirectCommands(read);
  const runCommands = [...read.commands, ...indirect.commands];
  const writtenCommands = [...read.rawCommands, ...indirect.rawCommands];
  const renamed = findRenamedPrograms(runCommands, writtenCommands);
  const notUnderstood = { understood: false, understoodAround: false, opaque: read.opaque ?? tooMuchText };
  const reading = indirect.isWhole && renamed.isWhole ? read : { ...read, ...notUnderstood };
  const commands = [...runCommands, ...renamed.commands.flatMap(withGitSubcommand)];
  const reachable = { commands, rawCommands: writtenCommands };
  return { command, reading, reachable, texts: commands.flatMap(commandTexts) };
}

/** For a command that is not read, for the reason in `why`: it may run anything. */
export function unreadFacts(command: string, why: string): CommandFacts {
  const nothing = { commands: [], rawCommands: [] };
  const reading = { ...nothing, redirects: [], understood: false, understoodAround: false, opaque: why };
  return { command, reading, reachable: nothing, texts: [] };
}

function joinWords(words: readonly Word[]): CommandText {
  const text = words.map((word) => word.text).join(" ");
  let known = 0;
  for (const [index, word] of words.entries()) {
    known += word.known;
    if (word.known < word.text.length) break;
    if (index < words.length - 1) known += 1;
  }
  return { text, known };
}

function commandTexts({ words }: PlausibleCommand): CommandText[] {
  const wholeText = joinWords(words);
  const { text, known } = wholeText;
  const program = words[0]?.text ?? "";
  const start = program.lastIndexOf("/") + 1;
  if ((words[0]?.known ?? 0) < program.length)
    return [wholeText, { text: text.slice(start), known: Math.max(0, known - start) }];
  const base = program.slice(start);
  const names = new Set([program, base, base.toLowerCase()]);
  return [...names].map((name) => ({
    text: name + text.slice(program.length),
    known: known - program.length + name.length,
  }));
}

/** How many characters may be generated for one rule and one line; nothing is generated beyond that. */
const maxGeneratedLength = 2_000_000;

/**
 * Each command with a variable assignment in front that applies to it alone or to all commands, and what is written after that assignment.
 * `isWhole` is false if the limit was exceeded.
 */
export function textsWithAssignments(
  pattern: CommandPattern,
  { reachable, texts }: CommandFacts,
): { assignedTexts: CommandText[]; isWhole: boolean } {
  const assignedTexts: CommandText[] = [];
  if (!assignmentForm.test(pattern.pieces[0] ?? "")) return { assignedTexts, isWhole: true };
  const starting = Map.groupBy(reachable.commands, ({ words }) => words[0]);
  const isMeant = ({ text, known }: Word): boolean =>
    assignmentForm.test(text) && couldMatch(pattern, text.slice(0, known));
  const lineAssignments = new Map<string, Word>();
  let left = maxGeneratedLength;
  const addTexts = (word: Word, commands: () => readonly CommandText[]): void => {
    if (left < 0) return;
    const found = commands();
    for (const { text } of found) left -= text.length + 1;
    assignedTexts.push(...afterAssignment(pattern, word, found));
  };
  for (const { words } of reachable.rawCommands) {
    const set = new Set(assignmentWordsIn(words).filter(isMeant));
    if (set.size === 0) continue;
    let open: Word[] = [];
    // Of repeated assignments, the last one counts.
    let last: Word | undefined;
    for (const [at, word] of words.entries()) {
      const own = starting.get(word) ?? [];
      if (set.has(word)) {
        last = word;
        open.push(word);
        addTexts(word, () => [joinWords(words.slice(at + 1))]);
      } else if (last !== undefined && own.length > 0) {
        open = [];
        addTexts(last, () => [...own, ...own.flatMap(commandsInArguments)].flatMap(commandTexts));
      }
    }
    for (const word of open) lineAssignments.set(word.text, word);
  }
  for (const word of lineAssignments.values()) addTexts(word, () => texts);
  return { assignedTexts, isWhole: left >= 0 };
}

/** The commands that a shell or `eval` runs from its arguments; they inherit the command's variables, too. */
function commandsInArguments({ words }: PlausibleCommand): PlausibleCommand[] {
  const program = programName(words[0]) ?? "";
  return shells.has(program) || textRunners.has(program)
    ? readGivenCommand(words).commands.flatMap(withGitSubcommand)
    : [];
}

function afterAssignment(pattern: CommandPattern, word: Word, commands: readonly CommandText[]): CommandText[] {
  const { first, rest } = splitFirstWord(pattern) ?? {};
  const isKnown = word.known >= word.text.length;
  const isMeant = !isKnown || first === undefined || matchesCommand(first, word.text);
  const mayFollow = (command: CommandText): boolean => rest === undefined || mayStillMatch(rest, command);
  const named = isKnown
    ? commands
    : commands.filter((each) => rest === undefined || matchesCommand(rest, each.text) || mayFollow(each));
  return named.map((command) => {
    const start = command.text === "" ? word.text : `${word.text} `;
    const text = `${start}${command.text}`;
    if (!isKnown) return { text, known: word.known };
    // If the pattern does not match the known assignment, the open rest of the command cannot make it match there.
    return { text, known: isMeant && mayFollow(command) ? start.length + command.known : text.length };
  });
}

/** `maybe`: the command could match, as far as can be told. */
export function matchCommandFacts(pattern: CommandPattern, facts: CommandFacts): "yes" | "maybe" | "no" {
  if (matchesCommand(pattern, facts.command.trim())) return "yes";
  const { assignedTexts, isWhole } = textsWithAssignments(pattern, facts);
  const isAny = (test: (command: CommandText) => boolean): boolean =>
    facts.texts.some(test) || assignedTexts.some(test);
  if (isAny(({ text }) => matchesCommand(pattern, text))) return "yes";
  if (matchesOtherSpelling(pattern, facts.reachable.commands)) return "yes";
  return !facts.reading.understood || !isWhole || isAny((command) => mayStillMatch(pattern, command)) ? "maybe" : "no";
}

/** Whether the certain part of the command leaves a match possible. */
export function mayStillMatch(pattern: CommandPattern, { text, known }: CommandText): boolean {
  return known < text.length && couldMatch(pattern, text.slice(0, known));
}

const quotedOrEscaped = /\\[^]|"(?:\\[^]|[^"\\])*"|'[^']*'/gu;

/** Whether a variable or substitution appears where the shell would expand it. */
export function hasShellExpansion(command: string): boolean {
  const open = command.replace(quotedOrEscaped, (text) => (text.startsWith('"') ? text.replace(/\\[^]/gu, "") : ""));
  return /`|\$[\w({@*#?!-]/u.test(open);
}

/** Whether an allow rule covers the command. Unless it is a plain list of words, only an equal rule without stars does. */
export function coversCommand(pattern: CommandPattern, facts: CommandFacts): boolean {
  if (isExactPattern(pattern) && facts.command.trim() === pattern.pieces[0]) return true;
  const { plain } = facts.reading;
  return plain !== undefined && coversWords(pattern, plain);
}

/** Also looks behind wrappers that do not change what is run. */
export function coversWords(pattern: CommandPattern, plain: readonly ShellWord[]): boolean {
  let isFed = false;
  for (let left = plain; left.length > 0;) {
    if (coversPlainWords(pattern, left, isFed)) return true;
    const words = left.map(({ text }) => text);
    isFed ||= isFeedingXargs(words);
    const length = frontLength(words);
    if (length === 0) return false;
    left = left.slice(length);
  }
  return false;
}

/** `isFed`: the command gets further words that are not known. */
function coversPlainWords(pattern: CommandPattern, plain: readonly ShellWord[], isFed: boolean): boolean {
  const words = plain.map(({ text }) => text);
  const open = plain.findIndex((word) => !isFixed(word));
  const special = open < 0 ? words.length : open;
  // A word that is fed in may be any option, and must be matched by the final star, not by the rule's own words.
  if (isFed && coversReadingOnly(words[0] ?? "", pattern) && !isHarmlessGit(words)) return false;
  if (!/^(?:[\w./+]|~\/)/u.test(words[0] ?? "")) return false;
  const parts = plain.map(textForMatching);
  const text = [parts, withoutQuotes(words, parts, special)].find((form) => matchesCommand(pattern, form.join(" ")));
  if (text === undefined || mayRunMore(words, special, pattern) || leavesPatternPath(pattern, plain)) return false;
  if (special >= words.length && !isFed) return true;
  // What a glob expands to must be matched by the final star, not by the rule's own words, unless these have the same glob.
  const head = pattern.pieces[0] ?? "";
  const isSame = pattern.endsAtWord && !/[*$`]/u.test(head);
  return isPrefixPattern(pattern) && special > 0 && (isSame || head.length <= certainLength(text, special));
}

/** `..` as a part of a path, or a glob that finds it in older shells, as `.*` and `.?` do, but not `.??*`, `.[a-z]*` or `.[!.]*`. */
const upwardPart =
  /\/\.(?:\*+|\**(?:[.?]|\[(?![!^]\.\]|(?:[a-z]-[a-z]|[A-Z]-[A-Z]|\d-\d|\w)+\])[^\]/]*\])\**)(?:\/|$)/u;
/** What the shell replaces with nothing but numbers, letters or the time: `{1..3}`, `$$`, `$((i + 1))`, `$(date +%F)`. */
const harmlessParts = [
  /\{(?:-?\d+\.\.-?\d+|[a-z]\.\.[a-z]|[A-Z]\.\.[A-Z])(?:\.\.-?\d+)?\}/gu,
  /\$[?#$](?![\w({@*#?!$-])/gu,
  /\$\(\([\w\s+*%()-]+\)\)/gu,
  /\$\(date ["']?\+(?![^\s)]*\.\.)(?:[\w.-]|%[FHMSTYdjmsy])+["']?\)/gu,
];

/** Whether a word leaves, or may leave, the path the pattern begins: in `dist/../x`, a star after the start of a path means what lies below. */
function leavesPatternPath({ pieces }: CommandPattern, words: readonly ShellWord[]): boolean {
  const starts = pieces.slice(0, -1).map((piece) => piece.slice(piece.lastIndexOf(" ") + 1).replace(/^["']/u, ""));
  const leads = (word: ShellWord, start: string): boolean => {
    if (start === "" || !word.text.startsWith(start)) return false;
    const below = harmlessParts.reduce((text, part) => text.replace(part, "0"), word.text.slice(start.length - 1));
    // An address cannot leave its host.
    const isPath = start.includes("/") && !start.includes("://");
    if (isPath && word.kind === "data" && /[$`]/u.test(below)) return true;
    return withoutBraces(below).some((rest) => hasHole(rest) || upwardPart.test(rest));
  };
  return words.some((word) => starts.some((start) => leads(word, start)));
}

/** The words with needless quotes removed: a word without blanks means the same without them, except for a tilde. */
function withoutQuotes(words: readonly string[], parts: readonly string[], special: number): readonly string[] {
  return parts.map((part, at) => (at < special && /^[^\s'"~]+$/u.test(words[at] ?? "") ? (words[at] ?? part) : part));
}

/** How much of the text reaches the program unchanged: up to the first character that the shell expands. */
function certainLength(parts: readonly string[], special: number): number {
  const open = parts[special];
  const certain = open === undefined ? "" : ` ${/^(?:[\w./:%=,-]|[+@](?!\())*/u.exec(open)?.[0] ?? ""}`;
  return parts.slice(0, special).join(" ").length + certain.length;
}
