/** The words that tell programs which files to show, send or copy, for words that only the shell can resolve. */
import { alike } from "../../lib/alike.ts";
import { dividedOf, filesAmong, valuesOf } from "../options/operands.ts";
import { knownProgram } from "../options/program-options.ts";
import { hasHole, hole } from "../shell/fill.ts";
import { isPlainSed } from "../shell/plain-sed.ts";

/** Programs, with the program whose options each has; empty if all of its words count. */
const programs = new Map<string, string>([
  ...alike(
    "cat tac less more most bat batcat nl rev pr fold fmt expand unexpand paste column join comm cmp diff sdiff colordiff vimdiff strings od xxd hexdump hd base64 base32 base58 iconv look shuf zcat bzcat xzcat gunzip gzip bzip2 xz zstd zip tar gtar bsdtar cp mv ln install rsync scp pax cpio view vim vi nano emacs ed ex uniq split csplit dd mapfile xmllint openssl pbcopy xclip csvlook highlight pygmentize enscript a2ps nc ncat socat",
    "",
  ),
  ...["head", "tail", "cut", "sort", "curl", "wget", "rg"].map((name): [string, string] => [name, name]),
  ...alike("grep egrep fgrep zgrep rgrep", "grep"),
  ...alike("ag ack", "ag"),
  ...alike("sed gsed", "sed"),
  ...alike("awk gawk mawk nawk", "awk"),
  ...alike("jq yq jaq gojq", "jq"),
]);

/** Commands of git that show a file they name. */
const ofGit = new Set("show cat-file blame annotate".split(" "));
/** What is sent to a URL is not a file. */
const address = /^[a-z][a-z0-9_+.-]*:\/\//iu;

export function isShower(program: string): boolean {
  return programs.has(program);
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

/** git shows a file as a whole if it is named with its revision, whatever else the options say. */
function shownByGit([command = "", ...texts]: readonly string[]): string[] {
  const isFact = command === "cat-file" && texts.some((text) => /^-[tse]$/u.test(text));
  return ofGit.has(command) && !isFact ? texts.filter((text) => !text.startsWith("-")) : [];
}

/** `texts`: the words after the program. */
export function shownWords(program: string, texts: readonly string[]): string[] {
  if (readsList(program, texts)) return [hole];
  if (program === "git") return shownByGit(texts);
  const as = programs.get(program);
  if (as === undefined) return [];
  const read = dividedOf(as, texts);
  const isOpenFile = program === "yq" && read.operands.length === 1 && hasHole(read.operands[0] ?? "");
  if (program !== "curl" && program !== "wget") return isOpenFile ? read.operands : [...filesAmong(as, read)];
  // Only words with an at sign, and those of options that send a file, name files.
  const uploads = valuesOf(read, "-T", "--upload-file", "-K", "--config");
  return [...texts.filter((text) => /(?:^|^-[A-Za-z]+|=)[@<]/u.test(text) && !address.test(text)), ...uploads];
}

/** With these words, a file may take the script's place, at least on some system or in some version, or the script opens files itself. */
const displacing = new Map<string, RegExp>([
  ...alike(
    "awk gawk mawk nawk",
    /^-(?:-.|[A-Za-z]*[EilW])|\b(?:ARGV|getline|system)\b|\bprintf?\b[^;}\n]*>|@|(?<!\|)\|(?!\|)/u,
  ),
  ...alike("jq jaq gojq", /^--run-tests|\b(?:import|include)\b/u),
  ["ack", /^-(?:[A-Za-z]*[Cp]|-)/u],
  // yq reads its first word as a file if one has that name.
  ["yq", /^/u],
]);

/** Options whose next word says what is searched for or left out. */
const looking = new Map<string, RegExp>([
  ["find", /^-i?(?:name|path|wholename)$/u],
  ["tree", /^-[IP]$/u],
  ...alike("tar gtar bsdtar rsync du", /^--exclude$/u),
  ...alike("fd fdfind", /^(?:-E|--exclude)$/u),
]);

/** Long options without a value, of any of the programs that copy or pack. */
const flags = new RegExp(
  `^--(?:${"acls append append-verify archive bzip2 checksum compress copy-dirlinks copy-links copy-unsafe-links create cvs-exclude del delete(?:-after|-before|-delay|-during|-excluded)? delay-updates dereference dry-run exclude-(?:backups|caches|vcs(?:-ignores)?) existing extract force fuzzy gzip hard-links human-readable ignore-(?:errors|existing|times) inplace itemize-changes keep-dirlinks links mkpath no-(?:group|owner|perms|recursion|same-owner) numeric-ids numeric-owner omit-dir-times one-file-system partial perms progress prune-empty-dirs quiet recursive relative remove-source-files safe-links size-only sparse stats summarize times totals? update verbose whole-file xattrs xz zstd".replaceAll(" ", "|")})$`,
  "u",
);

/** Whether the last of these words may take the next one as its value. */
export function mayTakeNext(program: string, texts: readonly string[]): boolean {
  const [first = ""] = texts;
  // `tar cfg archive snapshot`: values follow in the order of the letters that take them.
  const taken =
    program.endsWith("tar") && /^[A-Za-z]+$/u.test(first) ? first.replace(/[^bCfgHIKLNTVX]/gu, "").length : 0;
  const last = texts.at(-1) ?? "";
  if (taken > 0 && texts.length <= taken) return true;
  if (!last.startsWith("-") || last.includes("=")) return false;
  const isKnown = !last.startsWith("--") || knownProgram(program)?.options.has(last) === true;
  return isKnown ? dividedOf(program, [last, ""]).given.at(-1)?.valueIn === "next word" : !flags.test(last);
}

/** Whether no option of one or two letters changes the meaning of another. */
export function isPlainZip(texts: readonly string[]): boolean {
  const { given } = dividedOf("zip", texts);
  return given.every(({ name }) => /^-(?:[jqrRxiyv0-9]|-exclude|-include|-recurse-p.*)$/u.test(name));
}

/** For each word of `zip`, the option whose list contains it. A list ends at another option or an at sign. */
export function listsOfZip(texts: readonly string[]): (string | undefined)[] {
  const optionAt = new Map(dividedOf("zip", texts).given.map((option) => [option.at, option]));
  let list: string | undefined;
  return texts.map((text, at) => {
    const option = optionAt.get(at);
    if (option !== undefined) list = option.valueIn === undefined ? option.name : undefined;
    else if (text === "@" || text === "--") list = undefined;
    return list;
  });
}

/** The archive and what it packs: the words that are in no list of excluded or included files. */
export function placesOfZip(texts: readonly string[]): number[] {
  const lists = listsOfZip(texts);
  return dividedOf("zip", texts).places.filter((at) => !/^(?:-[xi]|--exclude|--include)$/u.test(lists[at] ?? ""));
}

/** The indexes of the files that `unzip` leaves out. In front of the archive, `-x` means something else. */
export function leftByUnzip(texts: readonly string[]): number[] {
  const from = texts.indexOf("-x");
  const before = texts.slice(0, Math.max(0, from));
  if (before.every((text) => text.startsWith("-")) || before.some((text) => /^-.*[dIOPx]/u.test(text))) return [];
  const length = texts.slice(from + 1).findIndex((text) => text.startsWith("-"));
  return [...texts.keys()].slice(from + 1, length < 0 ? undefined : from + 1 + length);
}

/** Whether the word belongs to a negated test of `find`. */
export function isLeftByFind(texts: readonly string[], at: number): boolean {
  const [not = "", test = ""] = texts.slice(Math.max(0, at - 2), at);
  return (not === "!" || not === "-not") && /^-i?(?:name|path|wholename)$/u.test(test);
}

/** Actions that write what is found to a file, or give it to a program. */
const handing = /^-(?:exec|fls|fprint|ok)/u;

export interface Patterns {
  places: number[];
  /** These words never are files, because every system reads the options in this way. */
  isSure: boolean;
}

/** The indexes of the words that are patterns or scripts and not files. */
export function patternsIn(program: string, texts: readonly string[]): Patterns {
  if (program === "zip" && isPlainZip(texts)) {
    const lists = listsOfZip(texts);
    const isPattern = (at: number): boolean =>
      /^-(?:x|-exclude)$/u.test(lists[at] ?? "") && !/^[-@]/u.test(texts[at] ?? "");
    return { places: [...texts.keys()].filter(isPattern), isSure: true };
  }
  if (program === "unzip") return { places: leftByUnzip(texts), isSure: true };
  const option = looking.get(program);
  if (option !== undefined) {
    const places = [...texts.keys()].filter((at) => option.test(texts[at - 1] ?? ""));
    const isSure = places.every((at) => !mayTakeNext(program, texts.slice(0, at - 1)));
    return { places, isSure: isSure && !texts.some((text) => handing.test(text)) };
  }
  const none: Patterns = { places: [], isSure: false };
  const as = programs.get(program);
  const other = displacing.get(program);
  if (as === undefined || (other !== undefined && texts.some((text) => other.test(text)))) return none;
  if (as === "sed" && !isPlainSed(texts.map((text) => text.replace(/^(?:-([nErsuz]*)i.*|--in-place.*)$/u, "-n$1"))))
    return none;
  const read = dividedOf(as, texts);
  const isScript = (name: string): boolean => name === "-e" || name === "--regexp" || name === "--expression";
  const scripts = ["grep", "rg", "sed"].includes(as) ? read.given.filter(({ name }) => isScript(name)) : [];
  const places = scripts.map(({ at, valueIn }) => (valueIn === "next word" ? at + 1 : at));
  if (as === "jq")
    for (const { at, name } of read.given) if (/^--arg(?:json)?$/u.test(name)) places.push(at + 1, at + 2);
  const isSure = (as === "grep" || as === "rg") && read.given.every(({ valueIn }) => valueIn === undefined);
  return {
    places: filesAmong(as, read).length < read.operands.length ? [...places, read.places[0] ?? 0] : places,
    isSure,
  };
}
