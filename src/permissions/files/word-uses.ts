/** What the words of a command are to its program: certainly files, files only if one exists, or no files at all. */
import { entriesForNames } from "../../lib/entries-for-names.ts";
import { gitCommandIndex } from "../options/operands.ts";
import { hasHole } from "../shell/fill.ts";
import { programName, type PlausibleCommand } from "../shell/unwrap.ts";
import type { CommandReading } from "../shell/words.ts";
import { joinTexts, textsOf, type Word } from "../shell/text.ts";
import {
  commandStart,
  isStartCertain,
  runsOtherCommands,
  givesWordsToShell,
  shells,
  takesInput,
} from "../shell/wrappers.ts";
import { branchIndex } from "./branch-words.ts";
import {
  createOutputUseTest,
  isCode,
  createsFiles,
  mayRedefinePrograms,
  mayAddExtension,
  printsFileNames,
  mayUseAnyFile,
} from "./handed-words.ts";
import { isNegatedFindTest, isShowingProgram, findPatternWords, shownWords } from "./shown-words.ts";
import { taskWordIndexes } from "./task-words.ts";

/**
 * `file`: a file, whatever exists. `any`: a file if something exists there, or in a folder that the line names; the program may also treat
 * the word as something else. `stem`: the same, or a file with a further extension. `told`: a file if one exists, for a program that does
 * not run text. `said`: what is to be done, or the same. `module`: said, or a file with an extension. `listed`: a folder if one exists.
 * `text`: only printed. `branch`: a file if git knows one.
 */
export type WordUse = "file" | "any" | "branch" | "stem" | "told" | "module" | "said" | "listed" | "text";

/** The operand from which on these git commands only take branches and the like. */
const branchOperands = new Map<string, number>([
  ...entriesForNames("branch cherry-pick merge rebase revert switch tag", 0),
  ...entriesForNames("fetch pull push", 1),
]);
/** Options of these commands that take no value; after any other, a word may be its value. */
const valuelessRemoteOption =
  /^(?:-[46adfknpqrtuv]+|--(?:all|append|atomic|autostash|delete|dry-run|ff|ff-only|follow-tags|force|force-with-lease|keep|porcelain|progress|prune|quiet|rebase|set-upstream|tags|unshallow|verbose)|--no-.*|--[^=]+=.*)$/u;
/** Git commands that accept a path in front of `--` only if it exists. */
const pathCheckingCommands = new Set(
  "bisect cherry clone config describe diff for-each-ref format-patch grep log ls-remote merge-base name-rev range-diff reflog remote rev-list rev-parse shortlog show show-ref submodule worktree".split(
    " ",
  ),
);
const messageCommands = new Set("commit merge notes stash tag".split(" "));
/** After `c` and `t`, the letter would be their value. */
const messageOption = /^(?:-[abd-su-z]*m|--message)$/u;
const inlineTextOption = /^--(?:message|grep|author|committer|date|trailer)=/u;
const textOption = /^(?:-[GS]|--(?:author|committer|grep))$/u;
/** `HEAD:file`, and globs of git. */
const treePathForm = /:|[*?[\\]/u;
/** Characters that no branch name contains, but a text to be run may. */
const nonBranchSigns = /[\s<>|;&$`'"(]/u;
const remoteForm = /^(?:[^\s:/@]+@[^\s:/]+:|[a-z+]+:\/\/)/u;

/** `HEAD:file` can be given a tag, or with a second colon be pushed under one. */
function mayNameFile(command: string, reference: string): boolean {
  return (branchOperands.get(command) === 1 ? /:[^]*:/u : /:/u).test(reference);
}

/** Programs that take some words as files and others not. */
const mixedWordPrograms = new Set(["curl", "wget", "yq"]);
/** Programs that pass on text and run none of it. */
const textPassingPrograms = new Set("curl gh glab logger notify-send vault wget".split(" "));
const printPrograms = new Set(["echo", "printf"]);
/** Shell builtins that open no file. */
const nonOpeningBuiltins = new Set("[ [[ echo printf test type".split(" "));
/** Programs that open no file, and at most list a folder. What follows a `cd` is treated elsewhere. */
const listingPrograms = new Set("basename cd dirname ls pushd readlink realpath stat".split(" "));
/** The same for git commands without options that name files: they tell whether a file is ignored or tracked. */
const listingGitForm = /^(?:check-ignore|ls-files)(?: -(?:[qvnz]+|-error-unmatch|-no-index|-))*(?: [^-]\S*)*$/u;
/** The words of a loop count where they are used. */
const loopKeywords = new Set(["for", "select"]);

/** Programs, or git's index, may be elsewhere. */
const relocatingVariables = /\b(?:PATH|GIT_DIR|GIT_INDEX_FILE|GIT_WORK_TREE)\b/u;
/** After these, git may track other files. */
const indexChangingForm =
  / (?:apply|pop|read-tree|reset(?!.* --hard)|update-index|--cached|--index|--staged|-S)(?= |$)/u;

/** The words behind more wrappers than anybody writes in front of each other are files: the strictest use. */
const maxWrappers = 20;

/** The use of each word after the program. `isRelocated`: the line sets one of the variables above. */
function usesInCommand(command: PlausibleCommand, isOutputUsed: boolean, isRelocated: boolean, depth = 0): WordUse[] {
  const [program, ...rest] = command.words;
  const texts = textsOf(rest);
  if (program === undefined || hasHole(program.text) || depth > maxWrappers) return texts.map(() => "file");
  const called = programName(program) ?? "";
  if (nonOpeningBuiltins.has(program.text) && !isOutputUsed && texts[0]?.startsWith("-v") !== true)
    return texts.map(() => "text");
  const isKnown = program.text === called && !isRelocated && !isOutputUsed;
  const isLister =
    listingPrograms.has(program.text) || (program.text === "git" && listingGitForm.test(texts.join(" ")));
  if (isLister && !isRelocated && !isOutputUsed) return texts.map(() => "listed");
  const start = program.text === called && !isRelocated ? wrappedCommandStart(called, rest) : undefined;
  if (start !== undefined) {
    const inner = usesInCommand({ ...command, words: rest.slice(start) }, isOutputUsed, isRelocated, depth + 1);
    return texts.map((text, at) => (hasHole(text) ? "file" : (inner[at - start - 1] ?? "any")));
  }
  const isLeft = (at: number): boolean =>
    called === "find" && program.text === called && !isRelocated && isNegatedFindTest(texts, at);
  const uses =
    called === "git" ? usesInGit(texts, isRelocated) : usesInOtherProgram(called, texts, isOutputUsed, isKnown);
  return uses.map((use, at) => (hasHole(texts[at] ?? "") ? "file" : isLeft(at) ? "text" : use));
}

/** Without options, these certainly run the words after them. */
const plainWrappers = new Set("builtin command exec nohup time".split(" "));

/** The index of the command that a wrapper certainly runs as it is; otherwise undefined. */
function wrappedCommandStart(called: string, rest: readonly Word[]): number | undefined {
  if (givesWordsToShell(called) || takesInput(called)) return undefined;
  const start = commandStart(called, rest);
  const isSure = isStartCertain(called, rest.slice(0, start)) || (plainWrappers.has(called) && start === 0);
  return isSure && start < rest.length ? start : undefined;
}

function usesInOtherProgram(
  called: string,
  texts: readonly string[],
  isOutputUsed: boolean,
  isKnown: boolean,
): WordUse[] {
  if (mayUseAnyFile(called, texts) || (isOutputUsed && printsFileNames(called, texts))) return texts.map(() => "file");
  if (loopKeywords.has(called)) return texts.map(() => "said");
  const patterns = findPatternWords(called, texts);
  const spokenIndexes = new Set([...taskWordIndexes(called, texts), ...patterns.indexes]);
  const shown = new Set(mixedWordPrograms.has(called) ? shownWords(called, texts) : texts);
  const isNamed = called === "printf" && texts[0]?.startsWith("-v") === true;
  const isMade = (text: string): boolean =>
    isNamed || (isOutputUsed && printPrograms.has(called) && (called === "printf" || !/\s/u.test(text)));
  const isFile = (text: string, at: number): boolean =>
    isCode(called, texts, at) ||
    isMade(text) ||
    (isShowingProgram(called) && (shown.has(text) || text.startsWith("-")));
  // These commands of `gh` take folders.
  const isPasser = textPassingPrograms.has(called) && !/^(?:repo|extension)$/u.test(texts[0] ?? "");
  // What a shell is to run is read separately.
  const others = isPasser || shells.has(called) ? "told" : mayAddExtension(called) ? "stem" : "any";
  const isModule = (at: number): boolean => /^-[A-Za-z]*m$/u.test(texts[at - 1] ?? "") && /^(?:py|uv)/u.test(called);
  return texts.map((text, at) => {
    if (spokenIndexes.has(at)) return patterns.isSure && isKnown ? "text" : "said";
    if (isModule(at)) return "module";
    return isFile(text, at) ? "file" : others;
  });
}

function usesInGit(texts: readonly string[], isRelocated: boolean): WordUse[] {
  const command = gitCommandIndex(texts.map((text) => ({ text })));
  const subcommand = texts[command] ?? "";
  const end = texts.includes("--") ? texts.indexOf("--") : texts.length;
  const isBranching = subcommand === "checkout" && /^-[bB]$/u.test(texts[command + 1] ?? "");
  let left = isBranching ? 0 : (branchOperands.get(subcommand) ?? Infinity);
  const isChecked = isBranching || pathCheckingCommands.has(subcommand) || branchOperands.has(subcommand);
  const patterns = subcommand === "grep" ? findPatternWords("grep", texts.slice(command + 1)).indexes : [];
  const branch = isRelocated ? undefined : branchIndex(texts);
  return texts.map((text, at) => {
    if (at === branch) return "branch";
    if (at <= command || at >= end) return at === command ? "said" : "file";
    const before = texts[at - 1] ?? "";
    if (
      inlineTextOption.test(text) ||
      textOption.test(before) ||
      (messageCommands.has(subcommand) && messageOption.test(before))
    )
      return "said";
    // The value of `-O` is a command to run.
    if (patterns.includes(at - command - 1) && !/^-[^-]*O/u.test(text)) return "said";
    const isInTree = treePathForm.test(text) && !remoteForm.test(text);
    const other = isChecked && !isInTree ? "any" : "file";
    const isValue =
      branchOperands.get(subcommand) === 1 && before.startsWith("-") && !valuelessRemoteOption.test(before);
    if (text.startsWith("-") || isValue) return other;
    left -= 1;
    return left < 0 && !mayNameFile(subcommand, text) && !nonBranchSigns.test(text) ? "said" : other;
  });
}

const strictness: readonly WordUse[] = ["file", "stem", "any", "branch", "told", "module", "said", "listed", "text"];

/** Whether no folder of that name is entered. */
export function isNeverFolder(use: WordUse | undefined): boolean {
  return use === "said" || use === "module" || use === "text";
}

/** The strictest use of each word of a line. What a wrapper runs is used as in that command. `opaque`: the line may run anything. */
export function wordUses(
  commands: readonly PlausibleCommand[],
  { rawCommands, opaque }: CommandReading,
  source: string,
): Map<string, WordUse> {
  if (opaque !== undefined || mayRedefinePrograms(commands, source)) return new Map();
  const isOutputUsed = createOutputUseTest(commands, rawCommands, source);
  const isRelocated = relocatingVariables.test(source);
  const fileCreators = commands.filter(createsFiles);
  const changesIndex = commands.some(
    ({ words }) => programName(words[0]) === "git" && indexChangingForm.test(joinTexts(words)),
  );
  const all = commands.map((command, at) => ({
    texts: textsOf(command.words),
    uses: usesInCommand(command, isOutputUsed(at), isRelocated).map((use) => {
      const mayBeCreated = ["any", "stem", "told"].includes(use) && fileCreators.some((each) => each !== command);
      return mayBeCreated || (use === "branch" && changesIndex) ? "file" : use;
    }),
    isWrapper: runsOtherCommands(programName(command.words[0]) ?? ""),
  }));
  // What a wrapper runs may be read in several ways.
  const wrapped = all.filter(({ isWrapper }) => isWrapper).map(({ texts }) => texts.join("\0"));
  const forwardedUses = new Map(
    all.filter(({ uses }) => uses.some(isNeverFolder)).map((each) => [each.texts.join("\0"), each.uses]),
  );
  const found = new Map<string, WordUse>();
  for (const { texts, uses, isWrapper } of all) {
    const isWrapped = isWrapper || wrapped.some((each) => each.endsWith(`\0${texts.join("\0")}`));
    const own = forwardedUses.size === 0 || !isWrapped ? uses : withInnerUses(texts, uses, forwardedUses);
    for (const [at, use] of own.entries()) {
      const text = texts[at + 1] ?? "";
      const known = found.get(text);
      if (known === undefined || strictness.indexOf(use) < strictness.indexOf(known)) found.set(text, use);
    }
  }
  return found;
}

const maxWrapperWords = 12;

function withInnerUses(
  texts: readonly string[],
  uses: WordUse[],
  forwardedUses: ReadonlyMap<string, WordUse[]>,
): WordUse[] {
  const own = [...uses];
  for (let start = 1; start < Math.min(texts.length, maxWrapperWords); start += 1)
    for (const [at, use] of (forwardedUses.get(texts.slice(start).join("\0")) ?? []).entries())
      if ((use === "said" || use === "module") && own[start + at] === "any") own[start + at] = use;
  return own;
}
