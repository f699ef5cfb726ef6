/** The words that tell programs which files to show, send or copy, for words that only the shell can resolve. */
import { entriesForNames } from "../../lib/entries-for-names.ts";
import { parseProgramWords, parseWords, fileOperands, valuesOfOption } from "../options/operands.ts";
import { gitCommand, knownProgram } from "../options/program-options.ts";
import { hasHole, hole } from "../shell/fill.ts";
import { isPlainSed } from "../shell/plain-sed.ts";

/** Programs, with the program whose options each has; empty if all of its words count. */
const showingPrograms = new Map<string, string>([
  ...entriesForNames(
    "cat tac less more most bat batcat nl rev pr fold fmt expand unexpand paste column join comm cmp diff sdiff colordiff vimdiff strings od xxd hexdump hd base64 base32 base58 iconv look shuf zcat bzcat xzcat gunzip gzip bzip2 xz zstd zip tar gtar bsdtar cp mv ln install rsync scp pax cpio view vim vi nano emacs ed ex uniq split csplit dd mapfile xmllint openssl pbcopy xclip csvlook highlight pygmentize enscript a2ps nc ncat socat",
    "",
  ),
  ...["head", "tail", "cut", "sort", "curl", "wget", "rg"].map((name): [string, string] => [name, name]),
  ...entriesForNames("grep egrep fgrep zgrep rgrep", "grep"),
  ...entriesForNames("ag ack", "ag"),
  ...entriesForNames("sed gsed", "sed"),
  ...entriesForNames("awk gawk mawk nawk", "awk"),
  ...entriesForNames("jq yq jaq gojq", "jq"),
]);

/** Commands of git that show a file they name. */
const gitShowCommands = new Set("show cat-file blame annotate".split(" "));
/** What is sent to a URL is not a file. */
const urlForm = /^[a-z][a-z0-9_+.-]*:\/\//iu;

export function isShowingProgram(program: string): boolean {
  return showingPrograms.has(program);
}

/** Whether the files it takes are named in a list or come from its input. */
function readsList(program: string, texts: readonly string[]): boolean {
  if (program === "cpio" || program === "pax") return !texts.some((text) => /^-[A-Za-z]*[it]/u.test(text));
  if (program === "zip") return texts.some((text) => /^-[A-Za-z]*@$|^-@/u.test(text));
  const isTar = program === "tar" || program === "gtar" || program === "bsdtar";
  // In its first word, letters need no hyphen.
  if (isTar)
    return (
      /^[A-Za-z]*T[A-Za-z]*$/u.test(texts[0] ?? "") || texts.some((text) => /^(?:-[A-Za-z]*T|--files)/u.test(text))
    );
  return (program === "sort" || program === "wc") && texts.some((text) => text.startsWith("--files"));
}

/** The values of an option whose form ends where the value begins. */
function valuesBehind(texts: readonly string[], option: RegExp): string[] {
  return texts.flatMap((text, at) => {
    const [form] = option.exec(text) ?? [];
    return form === undefined ? [] : [text.slice(form.length) || (texts[at + 1] ?? "")];
  });
}

/** Options by which programs take lines, messages or scripts from a file, and show what they hold, or what is wrong there. */
const showingOptions = new Map<string, RegExp>([
  ...entriesForNames("git:commit git:merge git:tag git:notes git:fmt-merge-msg", /^(?:-[aeinopqsvz]*F|--file(?:=|$))/u),
  ["git:config", /^(?:-[lz]*f|--file(?:=|$))/u],
  ...entriesForNames("awk gawk mawk nawk sed gsed", /^(?:-[nErsz]*f|--file(?:=|$))/u),
  ...entriesForNames("jq jaq gojq", /^(?:-[A-Zacejnrs]*f|--from-file(?:=|$))/u),
  ...entriesForNames("grep egrep fgrep zgrep rgrep rg", /^(?:-[EFGHILPRUachilnoqrsvwxz]*f|--file(?:=|$))/u),
  ["file", /^(?:-[bhikLN]*f|--files-from(?:=|$))/u],
  ["date", /^(?:-[uR]*f|--file(?:=|$))/u],
]);

function shownByOption(program: string, texts: readonly string[]): string[] {
  const option = showingOptions.get(program);
  return option === undefined ? [] : valuesBehind(texts, option);
}

/** git shows a file as a whole if it is named with its revision, whatever else the options say. */
function filesShownByGit([command = "", ...texts]: readonly string[]): string[] {
  const isFact = command === "cat-file" && texts.some((text) => /^-[tse]$/u.test(text));
  // Without -w, only the hash of the file is shown.
  const isHash = command === "hash-object" && !texts.some((text) => text.startsWith("-w"));
  if (["interpret-trailers", "hash-object", "merge-file"].includes(command))
    return isHash ? [] : parseWords(texts, gitCommand(command)).operands;
  const named = gitShowCommands.has(command) && !isFact ? texts.filter((text) => !text.startsWith("-")) : [];
  return [...named, ...shownByOption(`git:${command}`, texts)];
}

/** With `-n` or `-p`, a program of one line goes through the files that are its operands. */
function filesOfOneLiner(program: string, texts: readonly string[]): string[] {
  if (program !== "perl" && program !== "ruby") return [];
  const isLooping = texts.some((text) => /^-(?:[acFilsw\d]|\.\w+)*[np]/u.test(text));
  return isLooping
    ? texts.filter((text, at) => !text.startsWith("-") && !/^-[a-z\d]*[eE]$/u.test(texts[at - 1] ?? ""))
    : [];
}

const codePrograms = /^(?:perl|ruby|python[\d.]*|node|php)$/u;
const codeOption = /^-(?:[A-Za-z]*[ceEpr]|-eval|-print)$/u;
const argumentList = /\bargv\b|\bARGV\b|\bARGF\b|<>/u;
/** Not `sys.stdin.read()`, `json.loads()`, `json.load(sys.stdin)`, `require("path")`, or words such as `already` and `payload`. */
const openingCall =
  /open|(?<![a-z]|stdin\.)(?:read(?!y)|load(?!s\b|\((?:sys\.)?stdin))|createRead|require(?!\s*\(?\s*["'])|\bPath\(|file_get|\bARGF\b|<>/iu;

/** The words behind code that opens what its arguments name. */
function filesOfCode(texts: readonly string[]): string[] {
  const at = texts.findIndex(
    (text, index) => codeOption.test(texts[index - 1] ?? "") && argumentList.test(text) && openingCall.test(text),
  );
  return at < 0 ? [] : texts.slice(at + 1);
}

const namedInCall =
  /(?:open|readFile(?:Sync)?|read|readfile|load|require|Path|file_get_contents)\s*\(\s*[bfru]{0,2}["']([^"']*)["']/gu;

/** The names in calls that open a file. */
function filesInCalls(texts: readonly string[]): string[] {
  return texts.flatMap((text) => [...text.matchAll(namedInCall)].map(([, name = ""]) => name));
}

/** The list of words that xargs reads is an option in front of its command. */
function listOfXargs(texts: readonly string[]): string[] {
  const start = texts.findIndex((text, at) => !text.startsWith("-") && !takesNextForXargs.test(texts[at - 1] ?? ""));
  return valuesBehind(start < 0 ? texts : texts.slice(0, start), /^(?:-[0prtx]*a|--arg-file(?:=|$))/u);
}

const takesNextForXargs = /^(?:-[0prtx]*[IEJdnPLsaRS]|--arg-file)$/u;

/** `texts`: the words after the program. */
export function shownWords(program: string, texts: readonly string[]): string[] {
  if (readsList(program, texts)) return [hole];
  if (program === "git") return filesShownByGit(texts);
  if (program === "ptx" || program === "tsort") return parseProgramWords("", texts).operands;
  if (program === "xargs") return listOfXargs(texts);
  if (program === "sqlite3") return filesInCalls(texts);
  if (codePrograms.test(program))
    return [...filesOfOneLiner(program, texts), ...filesOfCode(texts), ...filesInCalls(texts)];
  return [...shownByOption(program, texts), ...filesShown(program, texts)];
}

function filesShown(program: string, texts: readonly string[]): string[] {
  const as = showingPrograms.get(program);
  if (as === undefined) return [];
  const read = parseProgramWords(as, texts);
  const isOpenFile = program === "yq" && read.operands.length === 1 && hasHole(read.operands[0] ?? "");
  if (program !== "curl" && program !== "wget") return isOpenFile ? read.operands : [...fileOperands(as, read)];
  // Only words with an at sign, and those of options that send a file, name files.
  const uploads = valuesOfOption(read, "-T", "--upload-file", "-K", "--config");
  return [...texts.filter((text) => /(?:^|^-[A-Za-z]+|=)[@<]/u.test(text) && !urlForm.test(text)), ...uploads];
}

/** With these words, a file may take the script's place, at least on some system or in some version, or the script opens files itself. */
const scriptDisplacers = new Map<string, RegExp>([
  ...entriesForNames(
    "awk gawk mawk nawk",
    /^-(?:-.|[A-Za-z]*[EilW])|\b(?:ARGV|getline|system)\b|\bprintf?\b[^;}\n]*>|@|(?<!\|)\|(?!\|)/u,
  ),
  ...entriesForNames("jq jaq gojq", /^--run-tests|\b(?:import|include)\b/u),
  ["ack", /^-(?:[A-Za-z]*[Cp]|-)/u],
  // yq reads its first word as a file if one has that name.
  ["yq", /^/u],
]);

/** Tests of `find` for names and paths. */
export const nameOrPathTest = /^-i?(?:name|path|wholename)$/u;

/** Options whose next word says what is searched for or left out. */
const patternOptions = new Map<string, RegExp>([
  ["find", nameOrPathTest],
  ["tree", /^-[IP]$/u],
  ...entriesForNames("tar gtar bsdtar rsync du", /^--exclude$/u),
  ...entriesForNames("fd fdfind", /^(?:-E|--exclude)$/u),
]);

/** Long options without a value, of any of the programs that copy or pack. */
const valuelessOptions = new RegExp(
  `^--(?:${"acls append append-verify archive bzip2 checksum compress copy-dirlinks copy-links copy-unsafe-links create cvs-exclude del delete(?:-after|-before|-delay|-during|-excluded)? delay-updates dereference dry-run exclude-(?:backups|caches|vcs(?:-ignores)?) existing extract force fuzzy gzip hard-links human-readable ignore-(?:errors|existing|times) inplace itemize-changes keep-dirlinks links mkpath no-(?:group|owner|perms|recursion|same-owner) numeric-ids numeric-owner omit-dir-times one-file-system partial perms progress prune-empty-dirs quiet recursive relative remove-source-files safe-links size-only sparse stats summarize times totals? update verbose whole-file xattrs xz zstd".replaceAll(" ", "|")})$`,
  "u",
);

/** Whether the last of these words may take the next one as its value. */
export function mayTakeNext(program: string, texts: readonly string[]): boolean {
  const [first = ""] = texts;
  // `tar cfg archive snapshot`: values follow in the order of the letters that take them.
  const takesNext =
    program.endsWith("tar") && /^[A-Za-z]+$/u.test(first) ? first.replace(/[^bCfgHIKLNTVX]/gu, "").length : 0;
  const last = texts.at(-1) ?? "";
  if (takesNext > 0 && texts.length <= takesNext) return true;
  if (!last.startsWith("-") || last.includes("=")) return false;
  const isKnown = !last.startsWith("--") || knownProgram(program)?.options.has(last) === true;
  return isKnown
    ? parseProgramWords(program, [last, ""]).givenOptions.at(-1)?.valueIn === "next word"
    : !valuelessOptions.test(last);
}

/** Whether no option of one or two letters changes the meaning of another. */
export function isPlainZip(texts: readonly string[]): boolean {
  const { givenOptions } = parseProgramWords("zip", texts);
  return givenOptions.every(({ name }) => /^-(?:[jqrRxiyv0-9]|-exclude|-include|-recurse-p.*)$/u.test(name));
}

/** For each word of `zip`, the option whose list contains it. A list ends at another option or an at sign. */
export function zipListOptions(texts: readonly string[]): (string | undefined)[] {
  const optionAt = new Map(parseProgramWords("zip", texts).givenOptions.map((option) => [option.at, option]));
  let list: string | undefined;
  return texts.map((text, at) => {
    const option = optionAt.get(at);
    if (option !== undefined) list = option.valueIn === undefined ? option.name : undefined;
    else if (text === "@" || text === "--") list = undefined;
    return list;
  });
}

/** The archive and what it packs: the words that are in no list of excluded or included files. */
export function zipPlaceIndexes(texts: readonly string[]): number[] {
  const lists = zipListOptions(texts);
  return parseProgramWords("zip", texts).operandIndexes.filter(
    (at) => !/^(?:-[xi]|--exclude|--include)$/u.test(lists[at] ?? ""),
  );
}

/** The indexes of the files that `unzip` leaves out. In front of the archive, `-x` means something else. */
export function unzipExclusionIndexes(texts: readonly string[]): number[] {
  const from = texts.indexOf("-x");
  const before = texts.slice(0, Math.max(0, from));
  if (before.every((text) => text.startsWith("-")) || before.some((text) => /^-.*[dIOPx]/u.test(text))) return [];
  const length = texts.slice(from + 1).findIndex((text) => text.startsWith("-"));
  return [...texts.keys()].slice(from + 1, length < 0 ? undefined : from + 1 + length);
}

/** Whether the word belongs to a negated test of `find`. */
export function isNegatedFindTest(texts: readonly string[], at: number): boolean {
  const [not = "", test = ""] = texts.slice(Math.max(0, at - 2), at);
  return (not === "!" || not === "-not") && nameOrPathTest.test(test);
}

/** Actions that write what is found to a file, or give it to a program. */
const handingActions = /^-(?:exec|fls|fprint|ok)/u;

export interface PatternWords {
  indexes: number[];
  /** These words never are files, because every system reads the options in this way. */
  isSure: boolean;
}

/** The indexes of the words that are patterns or scripts and not files. */
export function findPatternWords(program: string, texts: readonly string[]): PatternWords {
  if (program === "zip" && isPlainZip(texts)) {
    const lists = zipListOptions(texts);
    const isPattern = (at: number): boolean =>
      /^-(?:x|-exclude)$/u.test(lists[at] ?? "") && !/^[-@]/u.test(texts[at] ?? "");
    return { indexes: [...texts.keys()].filter(isPattern), isSure: true };
  }
  if (program === "unzip") return { indexes: unzipExclusionIndexes(texts), isSure: true };
  const option = patternOptions.get(program);
  if (option !== undefined) {
    const indexes = [...texts.keys()].filter((at) => option.test(texts[at - 1] ?? ""));
    const isSure = indexes.every((at) => !mayTakeNext(program, texts.slice(0, at - 1)));
    return { indexes, isSure: isSure && !texts.some((text) => handingActions.test(text)) };
  }
  const none: PatternWords = { indexes: [], isSure: false };
  const as = showingPrograms.get(program);
  const other = scriptDisplacers.get(program);
  if (as === undefined || (other !== undefined && texts.some((text) => other.test(text)))) return none;
  if (as === "sed" && !isPlainSed(texts.map((text) => text.replace(/^(?:-([nErsuz]*)i.*|--in-place.*)$/u, "-n$1"))))
    return none;
  const read = parseProgramWords(as, texts);
  const isScript = (name: string): boolean => name === "-e" || name === "--regexp" || name === "--expression";
  const scripts = ["grep", "rg", "sed"].includes(as) ? read.givenOptions.filter(({ name }) => isScript(name)) : [];
  const places = scripts.map(({ at, valueIn }) => (valueIn === "next word" ? at + 1 : at));
  if (as === "jq")
    for (const { at, name } of read.givenOptions) if (/^--arg(?:json)?$/u.test(name)) places.push(at + 1, at + 2);
  const isSure = (as === "grep" || as === "rg") && read.givenOptions.every(({ valueIn }) => valueIn === undefined);
  return {
    indexes: fileOperands(as, read).length < read.operands.length ? [...places, read.operandIndexes[0] ?? 0] : places,
    isSure,
  };
}
