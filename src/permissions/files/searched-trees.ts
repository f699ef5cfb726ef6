/** The trees that search programs go through. */
import { entriesForNames } from "../../lib/entries-for-names.ts";
import { anyFolderNameTest, foldCase, matchesExactly, parsePathPattern } from "../../lib/path-pattern.ts";
import { parseProgramWords, fileOperands, hasOption, type Operands, valuesOfOption } from "../options/operands.ts";
import { hasHole, withoutBraces } from "../shell/fill.ts";
import { gitIgnoreFiles, unclearGlob } from "./ignored-names.ts";
import { createLastMatchTest, createNameTest, parseDepth, treeAt, type Tree } from "./tree.ts";

export function treesOfGrep(texts: readonly string[], isRecursive = false): Tree[] {
  const read = parseProgramWords("grep", texts);
  const { givenOptions } = read;
  const follows = givenOptions.some(({ name }) => name === "-R" || name.startsWith("--der"));
  const isDeep =
    isRecursive ||
    follows ||
    givenOptions.some(
      ({ name, value }) =>
        name === "-r" || name.startsWith("--rec") || (/^-(?:d|-dir)/u.test(name) && value.startsWith("rec")),
    );
  if (!isDeep) return [];
  const patterns = givenOptions.flatMap(({ name, value }) =>
    name === "--include" || name === "--exclude" ? [{ isWanted: name === "--include", pattern: value }] : [],
  );
  const isNamed = createLastMatchTest(patterns, patterns[0]?.isWanted !== true);
  const left = valuesOfOption(read, "--exclude-dir").map((pattern) => createNameTest(pattern.replace(/\/+$/u, "")));
  return searchPlaces("grep", read).map((place) =>
    treeAt(place, {
      reaches: isNamed,
      enters: (name) => !left.some((test) => test?.(name)),
      follows: follows ? "all" : "none",
    }),
  );
}

function searchPlaces(program: string, read: Operands): readonly string[] {
  const places = fileOperands(program, read);
  return places.length === 0 ? ["."] : places;
}

const typeExtensions: ReadonlyMap<string, RegExp> = new Map([
  ...entriesForNames("ts typescript", /\.[cm]?tsx?$/u),
  ["js", /\.(?:[cm]?js|jsx|vue)$/u],
  ...entriesForNames("py python", /\.pyi?$/u),
  ["rust", /\.rs$/u],
  ["go", /\.go$/u],
  ["java", /\.(?:java|jsp|jspx|properties)$/u],
  ["c", /\.(?:[chH](?:\.in)?|cats)$/u],
  ["cpp", /\.(?:[Cch](?:pp|xx|\+\+)?|cc|hh|inl|H|in)$/u],
  ["css", /\.s?css$/u],
  ["html", /\.(?:html?|ejs)$/u],
  ["json", /\.(?:json|sarif|lock)$/u],
  ["yaml", /\.ya?ml$/u],
  ["toml", /\.(?:toml|lock)$/u],
  ["sql", /\.p?sql$/u],
  ["txt", /\.txt$/u],
  ...entriesForNames("md markdown", /\.(?:md|markdown|mdown|mdwn|mdx|mkd|mkdn)$/u),
]);

/** `isFed`: without operands, it reads its input. */
export function treesOfRg(texts: readonly string[], isFed: boolean): Tree[] {
  const read = parseProgramWords("rg", texts);
  const { givenOptions } = read;
  if (hasOption(read, "--files", "--type-list", "--version", "--help", "-V")) return [];
  if (isFed && fileOperands("rg", read).length === 0) return [];
  const unrestrictedCount = givenOptions.filter(({ name }) => name === "-u" || name === "--unrestricted").length;
  const globs = readGlobs(read);
  const isOpen = globs.some(({ isWanted }) => isWanted);
  const types = valuesOfOption(read, "-t", "--type").map((name) => extensionPattern(name, read));
  const isOfType = (name: string): boolean => types.some((type) => type.test(name));
  return searchPlaces("rg", read).map((place) => {
    const start = placeSegments(place);
    // As in git, the last glob that matches counts.
    const isWantedByGlobs = (name: string, above: readonly string[], isFolder: boolean): boolean | undefined =>
      globs.findLast(({ matches: matchesGlob }) => matchesGlob(name, start && [...start, ...above], isFolder))
        ?.isWanted;
    return treeAt(place, {
      // If a glob selects files, only these are searched, whatever their type.
      reaches: (name, above) =>
        isWantedByGlobs(name, above, false) ?? (!isOpen && (types.length === 0 || isOfType(name))),
      enters: (name, above) => isWantedByGlobs(name, above, true) !== false,
      follows: hasOption(read, "-L", "--follow") ? "all" : "none",
      isByPath: true,
      depth: parseDepth(valuesOfOption(read, "-d", "--max-depth")[0]),
      skips: {
        ignoreFiles: unrestrictedCount > 0 ? [] : ignoreFileNames(read, ".rgignore"),
        hidden: unrestrictedCount < 2 && !hasOption(read, "--hidden", "-.", "--ignore-file"),
        neverSkips: (name, above, isFolder) =>
          isWantedByGlobs(name, above, isFolder) === true || (!isFolder && isOfType(name)),
      },
    });
  });
}

function extensionPattern(type: string, read: Operands): RegExp {
  return (hasOption(read, "--type-add") ? undefined : typeExtensions.get(type)) ?? /(?:)/u;
}

/** The ignore files that a program like rg reads. `ownFile`: its own kind. */
export function ignoreFileNames(read: Operands, ownFile: string): string[] {
  if (hasOption(read, "--no-ignore")) return [];
  return [
    ...(hasOption(read, "--no-ignore-vcs")
      ? []
      : gitIgnoreFiles.slice(0, hasOption(read, "--no-ignore-exclude") ? 1 : 2)),
    ...(hasOption(read, "--no-ignore-dot") ? [] : [".ignore", ownFile]),
  ];
}

interface Glob {
  isWanted: boolean;
  /** `above`: relative to the working directory; undefined if unknown. Then the glob is taken to match whatever leads to more files. */
  matches: (name: string, above: readonly string[] | undefined, isFolder: boolean) => boolean;
}

function readGlobs(read: Operands): Glob[] {
  const of = (isFolded: boolean, ...names: string[]): Glob[] =>
    valuesOfOption(read, ...names)
      .flatMap(withoutBraces)
      .map((glob) => parseGlob(glob.replace(/^!/u, ""), !glob.startsWith("!"), isFolded));
  // Globs that ignore case count last, wherever they are.
  return [...of(hasOption(read, "--glob-case-insensitive"), "-g", "--glob"), ...of(true, "--iglob")];
}

function parseGlob(glob: string, isWanted: boolean, folds: boolean): Glob {
  const pattern = unclearGlob.test(glob) || hasHole(glob) ? null : parsePathPattern(glob, { folds });
  if (pattern === null) return { isWanted, matches: () => isWanted };
  const isAnywhere = anyFolderNameTest(pattern) !== undefined;
  return {
    isWanted,
    matches: (name, above, isFolder) => {
      if (above === undefined && !isAnywhere) return isWanted;
      const names = isAnywhere ? [name] : [...(above ?? []), name];
      return matchesExactly(pattern, folds ? names.map(foldCase) : names, isFolder);
    },
  };
}

/** The names of a place, as globs see them. */
function placeSegments(place: string): string[] | undefined {
  const text = place.replace(/^\.(?:\/|$)/u, "").replace(/\/$/u, "");
  if (/^[~/]|\/\/|(?:^|\/)\.{1,2}(?:\/|$)|[*?[{]/u.test(text) || hasHole(text)) return undefined;
  return text === "" ? [] : text.split("/");
}

/** ag has other rules for ignored files: only hidden files are known to be left out. */
export function treesOfAg(texts: readonly string[]): Tree[] {
  const read = parseProgramWords("ag", texts);
  if (hasOption(read, "-g", "-l", "--list-file-types")) return [];
  const hidden = !hasOption(read, "--hidden", "-u", "--unrestricted", "-a", "--all-types", "-t", "--all-text");
  const follows = hasOption(read, "-f", "--follow") ? "all" : "none";
  return searchPlaces("ag", read).map((place) => treeAt(place, { follows, skips: { ignoreFiles: [], hidden } }));
}
