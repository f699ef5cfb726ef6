/**
 * Which git commands only read: exact subcommands with the options each may have. Git can run programs through its options, configuration
 * and attributes; the options are judged here, the configuration in `git-look.ts`.
 */
import { shownContent, type ShownContent } from "../git/git-content.ts";
import { hasOption, parseListedWords, type Operands } from "../options/operands.ts";
import { gitCommand, type Program } from "../options/program-options.ts";
import { isRunningOption } from "../options/running-options.ts";
import { literalWord, type ReadPath } from "../shell/read-words.ts";
import { isFixed, type ShellWord } from "../shell/step.ts";
import { textsOf } from "../shell/text.ts";

/** Options of git itself. */
const plainOptions = new Set(["--no-pager", "-P", "--no-optional-locks"]);

export interface GitReads {
  /** Paths in the words that may lie outside the repository, and files whose content is shown. */
  paths: ReadPath[];
  content?: ShownContent;
}

/** Substitutions that print a commit id or nothing. */
const commitSubstitution =
  /\$\(git (?:merge-base(?: [A-Za-z][\w./~^-]*){2}|rev-parse(?: --short)? HEAD(?:[~^]\d*)*)\)/gu;

function fillCommits(word: ShellWord): ShellWord {
  const source = word.source.replaceAll(commitSubstitution, "0".repeat(40));
  const text = source.replace(/^"([^"]*)"/u, "$1");
  return source !== word.source && /^\w[\w./~^:-]*$/u.test(text) ? literalWord(text) : word;
}

/** Undefined if the command may do more than read. `written` are the words after `git`. */
export function readsOfGit(written: readonly ShellWord[]): GitReads | undefined {
  const words = written.map(fillCommits);
  if (!words.every(isFixed)) return undefined;
  const plain = textsOf(words);
  const start = plain.findIndex((text) => !plainOptions.has(text));
  const [name = "", second = ""] = plain.slice(Math.max(0, start));
  const subcommand = gitCommand(`${name}:${second}`);
  const command = subcommand ?? gitCommand(name);
  if (start < 0 || command?.operands !== "reads") return undefined;
  const used = subcommand === undefined ? 1 : 2;
  const rest = plain.slice(start + used);
  const read = parseGitWords(command, rest);
  if (read === undefined || read.operands.length > command.maxOperands) return undefined;
  const { operands } = read;
  if (name === "config" && used === 1 && !readsSingleKey(read, rest)) return undefined;
  if (operands.some((operand) => operand.startsWith("ext::") || operand.startsWith("-"))) return undefined;
  // `-L` names lines by patterns between slashes, which are not paths.
  const lines = new Set(read.givenOptions.flatMap(({ name: option, at }) => (option === "-L" ? [at + 1] : [])));
  const paths = words
    .filter((word, at) => !lines.has(at - start - used) && mayLeaveRepository(word))
    .map((word) => ({ word }));
  // grep searches the working directory, including ignored files if told so.
  const searched = name === "grep" ? [{ word: literalWord(".") }] : [];
  const content = shownContent(used === 2 ? `${name}:${second}` : name, read);
  const traced = content?.traced ?? [];
  const isShown = showingCommands.has(name) || content !== undefined;
  const files = isShown
    ? [...operands.flatMap(fileInOperand), ...traced]
    : name === "grep"
      ? searchedFiles(read).flatMap(fileInOperand)
      : [];
  const shown = files.map((file) => ({ word: literalWord(file) }));
  return { paths: [...paths, ...searched, ...shown], ...(content === undefined ? {} : { content }) };
}

/** Whether exactly one key is read. Anything after it, even an option, is a value to set; and without a dot, it may be a subcommand. */
function readsSingleKey({ operands: [key = ""], operandIndexes }: Operands, words: readonly string[]): boolean {
  return /^[\w-]+\.[\w.-]+$/u.test(key) && operandIndexes.at(0) === words.length - 1;
}

/** Commands that show the content of the files their operands name; outside a repository, these are files of the folder itself. */
const showingCommands = new Set("diff show log whatchanged blame annotate cat-file".split(" "));

/** The first operand is the search pattern, unless an option gives one. */
function searchedFiles(read: Operands): string[] {
  const { operands, paths } = read;
  return hasOption(read, "-e") || operands.length === paths.length ? operands : operands.slice(1);
}

/** The file in `HEAD:file`, `:0:file` and `:(top)file`. Other operands are treated as file names, too. Excluding pathspecs name none. */
function fileInOperand(operand: string): string[] {
  if (/^:(?:[!^]|\((?:[^)]*,)?exclude[,)])/u.test(operand)) return [];
  if (operand === ":/") return ["."];
  return [operand.replace(/^[^:]*:(?:\([^)]*\)|[!^/]+|[0-3]:)?(?=.)/u, "")];
}

/** Undefined if an option is not listed, or may run or create something. */
function parseGitWords(command: Program, words: readonly string[]): Operands | undefined {
  const read = parseListedWords(command, words);
  if (read === undefined) return undefined;
  for (const { name, value, valueIn, at } of read.givenOptions) {
    const word = words[at] ?? "";
    // A git version that does not know the option reads the next word as an option instead of its value.
    if (valueIn === "next word" && isRunningOption(gitCommand("*"), value)) return undefined;
    // This starts git in folders that may be repositories with their own configuration.
    if (name === "--submodule" && value === "diff") return undefined;
    // Not every git command accepts a letter with a value after other letters.
    if (valueIn !== undefined && !word.startsWith(name)) return undefined;
    // A format can make git check signatures, with a program that the configuration names.
    if (/%G|signature/u.test(`${word} ${words[at + 1] ?? ""}`)) return undefined;
  }
  const isListing = read.givenOptions.some(
    ({ name, at }) => words[at] === "-l" || command.requiredOptionParts.some((need) => name.includes(need)),
  );
  return command.requiredOptionParts.length > 0 && read.operands.length > 0 && !isListing ? undefined : read;
}

/** If given paths outside the repository, git compares and shows those files. */
function mayLeaveRepository({ text, kind }: ShellWord): boolean {
  return kind === "home" || /^[/]|(?:^|\/)\.\.(?:\/|$)/u.test(text);
}
