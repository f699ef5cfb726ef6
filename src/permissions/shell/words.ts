/**
 * All that permissions know of the shell goes through this file: the plain reading that allow rules are held against, and the
 * suspicious one for deny and ask rules. What is not plain is never auto-approved.
 */
import { lexCommands } from "./lexer.ts";
import { programOf, Unwrapper, type PlausibleCommand } from "./unwrap.ts";
import { endsElsewhere, type ShellLimits } from "./shell-limits.ts";
import { withTilde, type ShellWord } from "./step.ts";
import type { LexedCommand } from "./text.ts";
import { gitCommandAt } from "../options/operands.ts";

export interface CommandReading {
  /** One command of plain words; undefined for anything else. */
  plain?: ShellWord[];
  commands: PlausibleCommand[];
  /** As they stand there, with what sets their variables. */
  written: LexedCommand[];
  redirects: LexedCommand["redirects"];
  /** False where something in it could not be followed. */
  understood: boolean;
  /** The same of what stands outside of words' own characters, which only some programs expand once more. */
  understoodAround: boolean;
  /** Why it may run anything at all, in one clause; absent where that is not so. */
  opaque?: string;
}

export const maxCommandLength = 10_000;
const reserved = new Set("if then else elif fi do done case esac while until for in function select coproc".split(" "));
/** As nearly all commands are. Classes of all of Unicode cost milliseconds when they are made: only what needs them has them made. */
const common = /^[\n\t -~]*$/;
/** One piece of a word: unquoted, single-quoted or double-quoted, in characters that mean nothing to a shell there. */
const commonPiece = /([\w@%+=:,./^#*?[\]{}~-]+)|'([ -~]*?)'|"((?:(?![$`\\!])[ -~])*?)"/y;
const anyPiece = (): RegExp =>
  /([\p{L}\p{N}\p{M}_@%+=:,./^#*?[\]{}~-]+)|'((?:[\p{L}\p{N}\p{M}\p{P}\p{S} ])*?)'|"((?:(?![$`\\!])[\p{L}\p{N}\p{M}\p{P}\p{S} ])*?)"/uy;
/** No shell agrees with another about them; other characters that are not seen are letters to all of them. */
const odd = (): RegExp => /[^\P{Cc}\n\t\r]/u;
/** What no reader sees, but for line ends and tabs. */
const hidden = (): RegExp => /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
const programForm = /^[\w./+-]+$/u;

export function readPlain(command: string): ShellWord[] | undefined {
  if (command.length > maxCommandLength) return undefined;
  const words: ShellWord[] = [];
  const wordPiece = common.test(command) ? commonPiece : anyPiece();
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
    const kind = /[*?[\]{}]/u.test(open) ? "glob" : open.includes("~") ? withTilde("literal", source) : "literal";
    const isProgram = kind === "literal" && programForm.test(source) && !reserved.has(text);
    if (words.length === 0 && !isProgram) return undefined;
    words.push({ text, source, kind, names: [] });
  }
  return words.length === 0 ? undefined : words;
}

/** Rules name git's command: `git -C there push` is `git push` too. */
export function asMeant(command: PlausibleCommand): PlausibleCommand[] {
  const [program, ...rest] = command.words;
  if (program === undefined || programOf(program) !== "git") return [command];
  const start = gitCommandAt(rest);
  return start === 0 ? [command] : [command, { ...command, words: [program, ...rest.slice(start)] }];
}

/** `shell`: what runs it, where that is not bash. */
export function readCommand(command: string, shell?: "sh", limits: ShellLimits = {}): CommandReading {
  const isCommon = common.test(command);
  const isOther = limits.isMisread === true && !isCommon;
  const isCut = limits.isOld === true && endsElsewhere(command);
  const plain = isOther ? undefined : readPlain(command);
  const lexed = lexCommands(command);
  const unwrapper = new Unwrapper(command);
  unwrapper.read(lexed);
  const isForOther = shell !== undefined && unwrapper.isForBash;
  const opaque =
    unwrapper.opaque ??
    (!isCommon && odd().test(command) ? "it holds control characters" : undefined) ??
    (isOther ? "the locale here takes its characters for others" : undefined) ??
    (isCut ? "an old bash ends a substitution in it elsewhere" : undefined) ??
    (isForOther ? "it is written for bash, and here another shell runs it" : undefined);
  const isFollowed =
    !isForOther && !isOther && !isCut && command.length <= maxCommandLength && (isCommon || !hidden().test(command));
  return {
    ...(plain === undefined ? {} : { plain }),
    commands: unwrapper.commands.flatMap(asMeant),
    written: unwrapper.written,
    redirects: lexed.commands.flatMap(({ redirects }) => redirects),
    understood: unwrapper.understood && isFollowed,
    understoodAround: unwrapper.understoodAround && isFollowed,
    ...(opaque === undefined ? {} : { opaque }),
  };
}
