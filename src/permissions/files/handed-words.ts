/** Decides where words that are rarely files may be some: names handed on in the line, code, and programs that run unknown things. */
import { basename } from "node:path";
import { parseProgramWords, fileOperands, gitCommandIndex } from "../options/operands.ts";
import { textsOf, type LexedCommand } from "../shell/text.ts";
import { programName, type PlausibleCommand } from "../shell/unwrap.ts";
import { shells } from "../shell/wrappers.ts";
import { isShowingProgram, findPatternWords } from "./shown-words.ts";
import { sinks } from "./written-paths.ts";

const interpreters =
  /^(?:py(?:thon)?[\d.]*|pypy[\d.]*|node(?:js)?|deno|bun|tsx|ts-node|perl[\d.]*|ruby[\d.]*|php[\d.]*|lua(?:jit)?[\d.]*|tclsh|rscript|julia|osascript|pwsh|powershell)$/u;
const codeSigns = /["'`()[\]{}<>*;$]|^(?:from|import|load|require|use)\s/u;
/** Programs that may take file names from earlier output; unknown programs may, too. */
const inputTakingPrograms =
  /^(?:xargs|parallel|read|mapfile|readarray|(?:ba|da|k|z)?sh|fish|sqlite3|psql|ed|ex|vim?|wget|curl|g?tar|bsdtar|cpio|pax|zip|rsync)$/u;
const scriptPrograms = /^(?:g?sed|[gmn]?awk)$/u;
const plainPrograms = new Set(
  "[ cargo cd date docker echo egrep env exit export false gh git go kill ls make md5sum mkdir nice nohup npm npx pnpm printf ps pwd set sha256sum sleep sudo tee test time timeout touch tr true uname wait wc which yarn".split(
    " ",
  ),
);
const inputOption =
  /^(?:(?:-[A-Za-z]*f)?-|-@|\/dev\/(?:stdin|fd\/0)|-[A-Za-z]*T.*|--(?:batch|files|from-file|pathspec-from|stdin).*)$/u;
const substitution = /\$\(|`|[<>]\(|\bBASH_REMATCH\b/u;
const pipe = /(?<!\|)\|(?!\|)/u;
/** Programs that run their input or read file names from it. What a loop or group gets is written after its end. */
const inputRunningPrograms =
  /^(?:xargs|parallel|read|mapfile|readarray|done|fi|esac|\}|fish|sqlite3|duckdb|psql|mysql|mariadb|mongosh|sqlplus|ed|ex|n?vim?|m4|cpp|gnuplot|gdb|at|batch|dc|expect|octave|l?ftp|sftp|smbclient)$/u;
/** Programs that do so if one of their words says so. */
const scriptTakingPrograms =
  /^(?:g?sed|[gmn]?awk|g?make|(?:ba|da|k|z)?sh|source|\.|g?cc|[cg]\+\+|clang(?:\+\+)?|cpp|curl|wget|g?tar|bsdtar|rsync)$/u;
const nameListOption = /^--(?:batch|files-from|pathspec-from|stdin)/u;
const nameSelectors = new Set("find fd fdfind locate compgen".split(" "));
/** A function, or the words of an earlier command. */
const redefinition =
  /(?:^|[;&|\n({]|\b(?:do|then|else)\s)\s*(?:function\s+[^\s;]|[\w.-]+\s*\(\)\s*[{(]|enable\s+-)|\$\{?(?:_(?!\w)|BASH_(?:ARGV|COMMAND))/u;
/** A shell option is set in such a part of a line: that of its history also makes earlier words available. */
const shellOptionChange = /(?:^|[;&|\n({]|\b(?:do|then|else)\s)\s*(?:set|shopt)\s[^;&|\n]*/gu;
const unpackers = new Set("tar gtar bsdtar unzip unrar 7z 7za cpio pax git".split(" "));
const fileCreatingCommands = new Set("checkout clone restore stash switch worktree".split(" "));
const packageRunners = new Set("npm npx pnpm yarn bun lerna rush".split(" "));

/** A pattern that may begin at any blank of a run takes time that grows with the square of the run's length. */
function withShortBlanks(text: string): string {
  return text.replace(
    /(\s)(\s{2,})/gu,
    (_all, first: string, rest: string) => first + (rest.includes("\n") ? "\n" : " "),
  );
}

function redefinesPrograms(text: string): boolean {
  const short = withShortBlanks(text);
  return redefinition.test(short) || (short.match(shellOptionChange) ?? []).some((part) => part.includes("hist"));
}

/** Whether a here-document's line pipes it on. */
function pipesDocument(source: string): boolean {
  if (!source.includes("<<")) return false;
  return source.split("\n").some((line) => line.includes("<<") && pipe.test(line.slice(line.indexOf("<<") + 2)));
}

/** Whether program names in the line may mean something else, or run in folders that are unknown. */
export function mayRedefinePrograms(commands: readonly PlausibleCommand[], source: string): boolean {
  // Definitions in their text apply to the rest of the line.
  const runsHere = ({ words }: PlausibleCommand): boolean =>
    /^(?:eval|trap)$/u.test(programName(words[0]) ?? "") || shells.has(programName(words[0]) ?? "");
  const isOther = (command: PlausibleCommand): boolean =>
    command.words.some(({ text }) => /^-(?:exec|ok)dir$/u.test(text) || (runsHere(command) && redefinesPrograms(text)));
  return redefinesPrograms(source) || commands.some(isOther);
}

/** Returns a function that tells whether the line names a file that the command writes to. */
function createFileReuseTest(written: readonly LexedCommand[]): (command: LexedCommand) => boolean {
  const writtenTexts = written.flatMap(({ words, redirects }) => [
    ...words,
    ...redirects.flatMap(({ target, isWrite }) => (isWrite ? [] : [target])),
  ]);
  const isOpen = writtenTexts.some(({ unsure }) => unsure !== undefined);
  const texts = textsOf(writtenTexts).join("\n");
  return ({ redirects }) =>
    redirects.some(({ target, isWrite }) => {
      if (!isWrite || sinks.has(target.text)) return false;
      return isOpen || target.unsure !== undefined || texts.includes(basename(target.text));
    });
}

/** Returns a function that tells whether the output of the command at an index may become file names or a script. */
export function createOutputUseTest(
  commands: readonly PlausibleCommand[],
  written: readonly LexedCommand[],
  source: string,
): (at: number) => boolean {
  const isTaker = ({ words }: PlausibleCommand): boolean => {
    const called = programName(words[0]) ?? "";
    const isHere = words[0]?.text.startsWith(".") === true;
    if (isHere || (!plainPrograms.has(called) && !isShowingProgram(called))) return true;
    if (scriptPrograms.test(called)) return findPatternWords(called, textsOf(words.slice(1))).indexes.length === 0;
    return (
      inputTakingPrograms.test(called) || interpreters.test(called) || words.some(({ text }) => inputOption.test(text))
    );
  };
  const last = commands.findLastIndex(isTaker);
  const isAnywhere = substitution.test(source);
  const isPut = pipe.test(source) || written.some(createFileReuseTest(written));
  return (at) => isAnywhere || (isPut && at < last);
}

/** Whether it prints file names, or those of its input. */
export function printsFileNames(called: string, texts: readonly string[]): boolean {
  if (nameSelectors.has(called)) return true;
  return (
    findPatternWords(called, texts).indexes.length > 0 &&
    fileOperands(called, parseProgramWords(called, texts)).length === 0
  );
}

/** Whether it may use any file that is found, or runs in folders of which only names are given. */
export function mayUseAnyFile(called: string, texts: readonly string[]): boolean {
  const has = (option: RegExp): boolean => texts.some((text) => option.test(text));
  if (called === "make" || called === "gmake") return has(/^(?:-[A-Za-z]*E|--ev)/u);
  if (called === "yq") return has(/\bload/u);
  if (!packageRunners.has(called) || !has(/^(?:dlx|exec|node|x)$/u)) return false;
  return called === "lerna" || has(/^(?:-w|-F|-r|-ws|--recursive|--workspace.*|--filter.*|-[wF]=.*|workspaces?)$/u);
}

/** Here-documents that a program is given to run, or reads as file names. */
export function documentsRun(written: readonly LexedCommand[], source: string): string[] {
  const isPiped = pipesDocument(source);
  const isFileReused = createFileReuseTest(written);
  const runs = ({ words }: LexedCommand): boolean => {
    const called = words.map((word) => programName(word) ?? "");
    const isFed =
      words.some(({ text }) => nameListOption.test(text)) ||
      (called.some((each) => scriptTakingPrograms.test(each)) && words.some(({ text }) => inputOption.test(text)));
    return (
      isFed || words.length === 0 || called.some((each) => interpreters.test(each) || inputRunningPrograms.test(each))
    );
  };
  const isScript = ({ words }: LexedCommand): boolean =>
    words[0]?.text.startsWith(".") === true || words.some((word) => shells.has(programName(word) ?? ""));
  const last = written.findLastIndex((command) => runs(command) || isScript(command));
  const isRunLater = (command: LexedCommand, at: number): boolean => at < last && (isPiped || isFileReused(command));
  return written.filter((each, at) => runs(each) || isRunLater(each, at)).flatMap(({ documents }) => documents);
}

/** Whether the program may be given a file's name without its extension. */
export function mayAddExtension(called: string): boolean {
  return (
    interpreters.test(called) ||
    /^(?:[a-z]*tex(?:i2dvi)?|[a-z]*latex|latexmk|bibtex|biber|dvi\w+|java|unzip|zipinfo)$/u.test(called)
  );
}

export function isInterpreter(called: string): boolean {
  return interpreters.test(called);
}

/** Code opens files by itself. */
export function isCode(called: string, texts: readonly string[], at: number): boolean {
  return interpreters.test(called) && codeSigns.test(texts[at] ?? "");
}

/** Whether it creates files that may exist by the time the rest of the line runs. */
export function createsFiles({ words }: PlausibleCommand): boolean {
  const called = programName(words[0]) ?? "";
  const rest = words.slice(1);
  return (
    unpackers.has(called) && (called !== "git" || fileCreatingCommands.has(rest[gitCommandIndex(rest)]?.text ?? ""))
  );
}
