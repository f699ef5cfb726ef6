/**
 * The entry point to everything permissions know of the shell: the plain reading for allow rules, and the suspicious one for deny and ask
 * rules. A command that is not plain is never auto-approved.
 */
import { lexCommands } from "./lexer.ts";
import { programName, Unwrapper, type PlausibleCommand } from "./unwrap.ts";
import { substitutionMayEndElsewhere, type ShellLimits } from "./shell-limits.ts";
import { kindWithTilde, type ShellWord } from "./step.ts";
import { certainWord, type LexedCommand } from "./text.ts";
import { gitCommandIndex } from "../options/operands.ts";

export interface CommandReading {
  /** The words of a single plain command; undefined for anything else. */
  plain?: ShellWord[];
  commands: PlausibleCommand[];
  /** The commands as written, including variable assignments. */
  rawCommands: LexedCommand[];
  redirects: LexedCommand["redirects"];
  /** False if some part could not be followed. */
  understood: boolean;
  /** The same without the words' own characters, which only some programs expand once more. */
  understoodAround: boolean;
  /** Why it may run anything at all, in one clause; absent if it does not. */
  opaque?: string;
}

export const maxCommandLength = 10_000;
const reservedWords = new Set(
  "if then else elif fi do done case esac while until for in function select coproc".split(" "),
);
/** Matches nearly all commands. Unicode classes take milliseconds to compile, so they are only created when needed. */
const commonText = /^[\n\t -~]*$/;
/** One piece of a word: unquoted, single-quoted or double-quoted, of characters that are not special to a shell there. */
const commonPiece = /([\w@%+=:,./^#*?[\]{}~-]+)|'([ -~]*?)'|"((?:(?![$`\\!])[ -~])*?)"/y;
const anyPiece = (): RegExp =>
  /([\p{L}\p{N}\p{M}_@%+=:,./^#*?[\]{}~-]+)|'((?:[\p{L}\p{N}\p{M}\p{P}\p{S} ])*?)'|"((?:(?![$`\\!])[\p{L}\p{N}\p{M}\p{P}\p{S} ])*?)"/uy;
/** Shells disagree about these characters; to all of them, other invisible characters are letters. */
const controlCharacter = (): RegExp => /[^\P{Cc}\n\t\r]/u;
/** Invisible characters, except line ends and tabs. */
const invisibleCharacter = (): RegExp => /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
const programForm = /^[\w./+-]+$/u;

export function readPlain(command: string): ShellWord[] | undefined {
  if (command.length > maxCommandLength) return undefined;
  const words: ShellWord[] = [];
  const wordPiece = commonText.test(command) ? commonPiece : anyPiece();
  let at = 0;
  for (;;) {
    while (command.charAt(at) === " ") at += 1;
    if (at >= command.length) break;
    const start = at;
    if (command.charAt(at) === "#") return undefined;
    let text = "";
    let open = "";
    while (at < command.length && command.charAt(at) !== " ") {
      wordPiece.lastIndex = at;
      const piece = wordPiece.exec(command);
      if (piece === null) return undefined;
      const [all, bare, single, double] = piece;
      if (all === "") return undefined;
      open += bare ?? "";
      text += bare ?? single ?? double ?? "";
      at = wordPiece.lastIndex;
    }
    const source = command.slice(start, at);
    const kind = /[*?[\]{}]/u.test(open) ? "glob" : open.includes("~") ? kindWithTilde("literal", source) : "literal";
    const isProgram = kind === "literal" && programForm.test(source) && !reservedWords.has(text);
    if (words.length === 0 && !isProgram) return undefined;
    words.push({ text, source, kind, names: [] });
  }
  return words.length === 0 ? undefined : words;
}

/** Rules name git's command, so `git -C there push` is also matched as `git push`. */
export function withGitSubcommand(command: PlausibleCommand): PlausibleCommand[] {
  const [program, ...rest] = command.words;
  // `/usr/lib/git-core/git-push` is `git push`.
  const [, single] = /^git-([a-z-]+)$/u.exec(programName(program) ?? "") ?? [];
  if (single !== undefined) return [command, { ...command, words: [certainWord("git"), certainWord(single), ...rest] }];
  if (program === undefined || programName(program) !== "git") return [command];
  const start = gitCommandIndex(rest);
  return start === 0 ? [command] : [command, { ...command, words: [program, ...rest.slice(start)] }];
}

/** `shell`: the shell that runs it, if it is not bash. */
export function readCommand(command: string, shell?: "sh", limits: ShellLimits = {}): CommandReading {
  const isCommon = commonText.test(command);
  const isOther = limits.isMisread === true && !isCommon;
  const hasUncertainEnd = limits.isOld === true && substitutionMayEndElsewhere(command);
  const plain = isOther ? undefined : readPlain(command);
  const lexed = lexCommands(command);
  const unwrapper = new Unwrapper(command);
  unwrapper.read(lexed);
  const isForOther = shell !== undefined && unwrapper.isForBash;
  const opaque =
    unwrapper.opaque ??
    (!isCommon && controlCharacter().test(command) ? "it holds control characters" : undefined) ??
    (isOther ? "the locale here misreads its characters" : undefined) ??
    (hasUncertainEnd ? "an old bash ends a substitution in it elsewhere" : undefined) ??
    (isForOther ? "it is written for bash, and here another shell runs it" : undefined);
  const isFollowed =
    !isForOther &&
    !isOther &&
    !hasUncertainEnd &&
    command.length <= maxCommandLength &&
    (isCommon || !invisibleCharacter().test(command));
  return {
    ...(plain === undefined ? {} : { plain }),
    commands: unwrapper.commands.flatMap(withGitSubcommand),
    rawCommands: unwrapper.rawCommands,
    redirects: lexed.commands.flatMap(({ redirects }) => redirects),
    understood: unwrapper.understood && isFollowed,
    understoodAround: unwrapper.understoodAround && isFollowed,
    ...(opaque === undefined ? {} : { opaque }),
  };
}
