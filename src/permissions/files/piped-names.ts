/** The names that `xargs` gets through a pipe, if the commands before it show which ones are possible. */
import { goesBelow } from "./command-trees.ts";
import { accessToFiles, treesListedByFind } from "./find-trees.ts";
import { parseProgramWords, fileOperands, hasOption } from "../options/operands.ts";
import { treeOfPathspec } from "./git-trees.ts";
import { treesOfGrep, treesOfRg } from "./searched-trees.ts";
import { isFixed, type ShellScript, type ShellStep } from "../shell/step.ts";
import { certainWord, textsOf } from "../shell/text.ts";
import { commandStart, runsOtherCommands, inputPlaceholder } from "../shell/wrappers.ts";
import { treeAt, type Tree } from "./tree.ts";

export interface PipedNames {
  trees: Tree[];
  /** Commands with the names appended. */
  commands: string[][];
}

/** Undefined if there is no `xargs`, or if the input of one is unknown. */
export function pipedNames(script: ShellScript | undefined): PipedNames | undefined {
  if (script === undefined || script.problem !== undefined) return undefined;
  const names: PipedNames = { trees: [], commands: [] };
  let hasXargs = false;
  for (const step of script.steps) {
    const words = plainTexts(step);
    if (words?.[0] !== "xargs") {
      if (step.words.some(({ text }) => text === "xargs" || text === "parallel")) return undefined;
      continue;
    }
    hasXargs = true;
    const start = commandStart("xargs", words.slice(1).map(certainWord)) + 1;
    const run = words.slice(start);
    // What such a program does with the names cannot be seen from its words.
    if (runsOtherCommands(run[0] ?? "")) return undefined;
    const source = readNameSource(step.fedBy);
    if (source === undefined) return undefined;
    const place = inputPlaceholder(words.slice(0, start));
    const delimiter = readDelimiter(words.slice(1, start), place);
    if (delimiter === undefined) return undefined;
    const isPart = place !== undefined && run.some((word) => word !== place && word.includes(place));
    // Names found below a folder are not tracked inside of words.
    if (isPart && source.trees(false).length > 0) return undefined;
    const trees = source.trees(goesBelow(run));
    names.trees.push(
      ...trees.flatMap((tree) => accessToFiles(run).map((access) => ({ ...tree, ...delimiter, access }))),
    );
    if (isPart) names.commands.push(...source.words.map((name) => run.map((word) => word.replaceAll(place, name))));
    else if (source.words.length > 0) names.commands.push([...run, ...source.words]);
  }
  return hasXargs ? names : undefined;
}

/** How `xargs` splits names; undefined if it reads them from a file, or if an option sets another delimiter than a newline. */
function readDelimiter(options: readonly string[], place: string | undefined): Pick<Tree, "delimiter"> | undefined {
  if (options.some((text) => /^(?:-[A-Za-z\d]*a|--a)/u.test(text))) return undefined;
  const at = options.findIndex((text) => /^(?:-[rtx0]*d|--d)/u.test(text));
  const value = /^(?:-\w*?d|--d\w*=?)(.*)$/su.exec(options[at] ?? "")?.[1];
  if (value !== undefined) return (value || options[at + 1]) === String.raw`\n` ? { delimiter: /\n/u } : undefined;
  if (options.some((text) => /^(?:-[rtx]*0|--nu)/u.test(text))) return {};
  return { delimiter: place === undefined ? /[\s"'\\]/u : /["'\\\n]/u };
}

/** With these options, programs print names unchanged, and none from a folder above. */
const listingOptions = new Map([
  ["git", /^(?:-z|-m|-c|--modified|--cached|--)$/u],
  ["ls", /^-[1Art]+$/u],
]);

/** The files whose names other commands give to `xargs`; undefined if these are unknown. */
export function treesFedTo({ fedBy }: ShellStep): Tree[] | undefined {
  const source = readNameSource(fedBy);
  let first = fedBy;
  while (first?.fedBy !== undefined) first = first.fedBy;
  const [program = "", ...texts] = textsOf(first?.words ?? []);
  const options = listingOptions.get(program);
  const isPlain = texts.every((text) => !text.startsWith("-") || options?.test(text) !== false);
  // A name in the words is printed as it is.
  const hasUnsafeWord = source?.words.some((word) => /[\s'"\\]/u.test(word)) === true;
  const trees = source?.trees(false) ?? [];
  return !isPlain || hasUnsafeWord || trees.length === 0 ? undefined : trees;
}

/** Undefined if a word is more than a plain word or a glob. */
function plainTexts({ words, assignments }: ShellStep): string[] | undefined {
  const isPlain = words.every((word) => isFixed(word) || word.kind === "glob");
  return isPlain && assignments.length === 0 ? textsOf(words) : undefined;
}

interface NameSource {
  /** `isBelow`: with everything in the folders that are named, and with targets of links. */
  trees: (isBelow: boolean) => Tree[];
  words: string[];
}

/** The names at the beginning of the pipe, if all commands after the first only leave lines out. */
function readNameSource(fedBy: ShellStep | undefined): NameSource | undefined {
  for (let step = fedBy; step !== undefined; step = step.fedBy) {
    const words = plainTexts(step);
    if (words === undefined || step.redirects.some(({ access }) => access === "read")) return undefined;
    if (!step.isFed) return namesListedBy(words);
    if (!onlyDropsLines(words)) return undefined;
  }
  return undefined;
}

/** Options with which programs print only lines of their input, and these whole. */
const lineKeepingOptions = new Map<string, ReadonlySet<string>>(
  Object.entries({
    grep: "-e -f -i -v -w -x -E -F -G -P -a -s -z -m --regexp --file --ignore-case --invert-match --word-regexp --line-regexp --extended-regexp --fixed-strings --perl-regexp",
    head: "-n -q --lines",
    shuf: "-z",
    sort: "-b -d -f -g -h -k -M -n -r -R -t -u -V -z --numeric-sort --reverse --unique --version-sort --zero-terminated",
    tail: "-n -q --lines",
    uniq: "-d -D -f -i -s -u -w -z --repeated --unique",
  }).map(([program, names]) => [program, new Set(names.split(" "))]),
);

function keepsLines(program: string, texts: readonly string[], extraOptions: readonly string[] = []): boolean {
  const read = parseProgramWords(program, texts);
  const isKept = (name: string): boolean =>
    lineKeepingOptions.get(program)?.has(name) === true || extraOptions.includes(name);
  const isCount = (at: number): boolean => /^(?:head|tail)$/u.test(program) && /^-\d+$/u.test(texts[at] ?? "");
  return (
    read.givenOptions.every(({ name, at }) => isKept(name) || isCount(at)) && fileOperands(program, read).length === 0
  );
}

/** With these options, xargs reads only the pipe. */
const plainXargs = /^(?:(?:^| )-(?:0|r|[LnP] ?\d+|-null|-no-run-if-empty))*$/u;

function onlyDropsLines([program = "", ...texts]: readonly string[]): boolean {
  if (program === "tr") return texts.join(" ") === String.raw`\n \0`;
  if (program !== "xargs") return lineKeepingOptions.has(program) && keepsLines(program, texts);
  const start = commandStart("xargs", texts.map(certainWord));
  const [run, ...rest] = texts.slice(start);
  const names = ["-l", "-L", "--files-with-matches", "--files-without-match"];
  return (
    run === "grep" &&
    hasOption(parseProgramWords("grep", rest), ...names) &&
    keepsLines("grep", rest, names) &&
    plainXargs.test(texts.slice(0, start).join(" "))
  );
}

/** Options of rg that choose files and do not change how their names are printed. */
const rgListingOptions = new Set(
  "-l --files --files-with-matches -0 --null -e -f -F -g -i -j -L -m -P -s -S -t -T -d -u -U -v -w -x -. -a -o -n -N -H -q --regexp --file --glob --iglob --type --type-not --max-depth --max-count --threads --sort --sortr --hidden --no-ignore --no-ignore-vcs --no-config --fixed-strings --ignore-case --case-sensitive --smart-case --invert-match --word-regexp --line-regexp --no-messages --multiline --multiline-dotall --pcre2 --text --unrestricted --follow --glob-case-insensitive --line-number --no-line-number".split(
    " ",
  ),
);

function namesListedBy([program = "", ...texts]: readonly string[]): NameSource | undefined {
  const trees = (found: Tree[]): NameSource => ({ trees: () => found, words: [] });
  const operands = texts.filter((text) => !text.startsWith("-"));
  switch (program) {
    case "find":
      return texts.some((text) => /^-(?:exec|ok|printf|fprint|ls|delete)/u.test(text))
        ? undefined
        : { trees: (isBelow) => treesListedByFind(texts, isBelow), words: [] };
    case "git": {
      // With these options it prints more than names, or something else.
      const isOther = texts.some((text) => /^(?:-[A-Za-z]*[stvf]|--(?:a|deb|eol|f[eo]|s[pt]))/u.test(text));
      if (texts[0] !== "ls-files" || isOther) return undefined;
      const isLoose = texts.some((text) => /^-(?:[a-zA-Z]*[oi]|-[oi])/u.test(text));
      const pathspecs = operands.length > 1 ? operands.slice(1) : ["."];
      return {
        trees: (isBelow) =>
          pathspecs.map((pathspec) => ({
            ...treeOfPathspec(pathspec),
            ...(isLoose ? {} : { git: "tracked" as const }),
            // A link is one of the names that it prints.
            follows: isBelow ? ("all" as const) : ("files" as const),
          })),
        words: [],
      };
    }
    case "rg": {
      const names = texts.filter((text) => text !== "--files");
      const isList = names.length < texts.length;
      // Options that count, colour or add anything change what is printed.
      if (!parseProgramWords("rg", texts).givenOptions.every(({ name }) => rgListingOptions.has(name)))
        return undefined;
      if (!isList && !hasOption(parseProgramWords("rg", texts), "-l", "--files-with-matches")) return undefined;
      return { ...trees(treesOfRg(isList ? ["-e", "", ...names] : names, false)), words: operands };
    }
    case "grep":
      return hasOption(parseProgramWords("grep", texts), "-l", "-L", "--files-with-matches")
        ? { ...trees(treesOfGrep(texts)), words: operands }
        : undefined;
    case "ls":
      return operands.length === 0 && !texts.some((text) => /^-[A-Za-z]*[lisRZ]/u.test(text))
        ? { trees: (isBelow) => [treeListedByLs(texts, isBelow)], words: [] }
        : undefined;
    case "echo":
    case "printf":
      return namesPrinted(program, texts);
    default:
      return undefined;
  }
}

function treeListedByLs(texts: readonly string[], isBelow: boolean): Tree {
  const isAll = texts.some((text) => /^-(?:[A-Za-z]*[aAf]|-al)/u.test(text));
  const isListed: Tree["reaches"] = (name, above) => isAll || above.length > 0 || !name.startsWith(".");
  return treeAt(".", {
    reaches: isListed,
    enters: isListed,
    ...(isBelow ? { follows: "all" } : { depth: 1, follows: "files" }),
  });
}

/** Text with special characters is not interpreted. */
function namesPrinted(program: string, [first = "", ...more]: readonly string[]): NameSource | undefined {
  const isFormat = program === "printf" && /^(?:%s(?:\\[n0])?)$/u.test(first);
  const texts = isFormat ? more : [first, ...more];
  const names = texts.flatMap((text) => text.split(/\s+|\\[n0t](?!\d)/u)).filter((text) => text !== "");
  // With a placeholder, a line is one name, including its blanks.
  const lines = texts
    .join(" ")
    .split(/\n|\\n/u)
    .filter((line) => line.includes(" "));
  const isPlain =
    names.every((text) => !/[\\%"']/u.test(text)) && (program === "echo" || isFormat || more.length === 0);
  return isPlain ? { trees: () => [], words: [...names, ...lines] } : undefined;
}
