/** The trees that `fd` goes through when it does something with what it finds. */
import { foldCase } from "../../lib/path-pattern.ts";
import { parseProgramWords, hasOption, type Operands, valuesOfOption } from "../options/operands.ts";
import { knownProgram } from "../options/program-options.ts";
import { isRunningOption } from "../options/running-options.ts";
import { hasHole, withoutBraces } from "../shell/fill.ts";
import { accessToFiles, type GoesBelow, maxActions } from "./find-trees.ts";
import { ignoreFileNames } from "./searched-trees.ts";
import { exclusionsByName, createNameTest, type Skips, treeAt, type Tree } from "./tree.ts";

export function treesOfFd(texts: readonly string[], goesBelow: GoesBelow): Tree[] {
  const { read, runs } = readFd(texts);
  if (runs.length > maxActions)
    return (["read", "write"] as const).flatMap((access) =>
      fdPlaces(read, false).map((place) => treeAt(place, { access })),
    );
  const left = exclusionsByName(hasKnownOptions(read) ? valuesOfOption(read, "-E", "--exclude") : []);
  const skips: Skips = {
    ignoreFiles:
      !hasKnownOptions(read) || hasOption(read, "-I", "-u", "--unrestricted") ? [] : ignoreFileNames(read, ".fdignore"),
    hidden: !hasOption(read, "-H", "--hidden", "-u", "--unrestricted", "--ignore-file"),
  };
  const isFound = fdNameTest(read);
  const followsLinks = hasOption(read, "-L", "--follow");
  const types = valuesOfOption(read, "-t", "--type");
  const isFile = hasKnownOptions(read) && types.length > 0 && types.every((type) => type === "f" || type === "file");
  const properties: Partial<Tree> = {
    reaches: (name, above) => isFound(name) && left.reaches(name, above),
    enters: left.enters,
    follows: followsLinks ? "all" : "files",
    isByPath: true,
    skips,
  };
  // For folders that are found, otherwise excluded files are affected, too, and so are targets of links.
  const whole: Partial<Tree> = {
    reaches: (name, above) => above.some(isFound) || properties.reaches?.(name, above) === true,
    enters: (name, above, isLink) =>
      above.some(isFound) ||
      (properties.enters?.(name, above, isLink) === true && (!isLink || followsLinks || isFound(name))),
    isByPath: true,
    follows: "all",
    skips: { ...skips, neverSkips: (_, above) => above.some(isFound) },
  };
  return runs.flatMap((run) =>
    accessToFiles(run).flatMap((access) =>
      fdPlaces(read).map((place) => treeAt(place, { ...(goesBelow(run) && !isFile ? whole : properties), access })),
    ),
  );
}

/** Splits off the commands of `-x` and `-X`: they extend to a semicolon, or to the end of the same word. */
function readFd(texts: readonly string[]): { read: Operands; runs: string[][] } {
  const runs: string[][] = [];
  const own = [...texts];
  for (;;) {
    const read = parseProgramWords("fd", own);
    const run = read.givenOptions.find(({ name }) => isRunningOption(knownProgram("fd"), name));
    if (run === undefined || runs.length > maxActions) return { read, runs };
    const isNext = run.valueIn === "next word";
    const end = isNext ? own.indexOf(";", run.at) : run.at;
    const last = end < 0 ? own.length : end;
    runs.push(isNext ? own.slice(run.at + 1, last) : [run.value]);
    const flags = /^-[A-Za-z0-9]+?(?=[xX])/u.exec(own[run.at] ?? "") ?? [];
    own.splice(run.at, last + 1 - run.at, ...flags);
  }
}

/** Whether all options are known. An unknown one may take any word as its value: then each may be a place, and all is found. */
function hasKnownOptions({ givenOptions }: Operands): boolean {
  return givenOptions.every(({ name, value }) => knownProgram("fd")?.options.has(name) === true && !hasHole(value));
}

function fdPlaces(read: Operands, isKnown = hasKnownOptions(read)): string[] {
  const searched = valuesOfOption(read, "--search-path");
  const searchPlaces = [...searched, ...read.operands.slice(1)];
  const open = isKnown ? searchPlaces : [...searched, ...read.operands];
  const places = isKnown && open.length > 0 ? open : [".", ...open];
  const folder = valuesOfOption(read, "-C", "--base-directory").at(-1);
  return places.map((place) => (folder === undefined || /^[/~]/u.test(place) ? place : `${folder}/${place}`));
}

/** Returns a test for names by pattern and extensions, ignoring case, as fd may. */
function fdNameTest(read: Operands): (name: string) => boolean {
  if (!hasKnownOptions(read)) return () => true;
  const endings = valuesOfOption(read, "-e", "--extension").map((text) => `.${foldCase(text.replace(/^\./u, ""))}`);
  const matchesName = fdPatternTest(read);
  return (name) => {
    const folded = foldCase(name);
    return matchesName(folded) && (endings.length === 0 || endings.some((ending) => folded.endsWith(ending)));
  };
}

/** A regular expression of letters and simple alternatives: `\.(ts|tsx)$`. */
const plainExpression = /^(\^?)((?:[\w-]|\\\.)*)(?:\(([\w|]+)\))?(\$?)$/u;

/** A pattern that is not understood matches everything. */
function fdPatternTest(read: Operands): (folded: string) => boolean {
  const pattern = foldCase(read.operands[0] ?? "");
  const [isGlob, isText] = [hasOption(read, "-g", "--glob"), hasOption(read, "-F", "--fixed-strings")];
  if (hasOption(read, "-p", "--full-path", "--regex") || (isGlob && isText) || hasHole(pattern)) return () => true;
  if (isText) return (folded) => folded.includes(pattern);
  if (isGlob) {
    const tests = withoutBraces(pattern).map((glob) => (/^[\w.*?-]+$/u.test(glob) ? createNameTest(glob) : undefined));
    return (folded) => tests.some((test) => test?.(folded) ?? true);
  }
  const [, begin, text = "", ends = "", end] = plainExpression.exec(pattern) ?? [];
  if (end === undefined) return () => true;
  // A name contains no slash, so slashes can mark its beginning and end.
  const edge = (sign = ""): string => (sign === "" ? "" : "/");
  const texts = ends.split("|").map((each) => edge(begin) + text.replaceAll("\\.", ".") + each + edge(end));
  return (folded) => texts.some((each) => `/${folded}/`.includes(each));
}
