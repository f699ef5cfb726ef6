/** The trees that search programs go through. */
import { alike } from "../../lib/alike.ts";
import { anywhereNamed, foldCase, matchesItself, parsePathPattern } from "../../lib/path-pattern.ts";
import { dividedOf, filesAmong, has, type Operands, valuesOf } from "../options/operands.ts";
import { hasHole, withoutBraces } from "../shell/fill.ts";
import { gitIgnoreFiles, unclearGlob } from "./ignored-names.ts";
import { lastOf, namedBy, treeAt, type Tree } from "./tree.ts";

export function searchedByGrep(texts: readonly string[], isRecursive = false): Tree[] {
  const read = dividedOf("grep", texts);
  const { given } = read;
  const follows = given.some(({ name }) => name === "-R" || name.startsWith("--der"));
  const isDeep =
    isRecursive ||
    follows ||
    given.some(
      ({ name, value }) =>
        name === "-r" || name.startsWith("--rec") || (/^-(?:d|-dir)/u.test(name) && value.startsWith("rec")),
    );
  if (!isDeep) return [];
  const patterns = given.flatMap(({ name, value }) =>
    name === "--include" || name === "--exclude" ? [{ isWanted: name === "--include", pattern: value }] : [],
  );
  const isNamed = lastOf(patterns, patterns[0]?.isWanted !== true);
  const left = valuesOf(read, "--exclude-dir").map((pattern) => namedBy(pattern.replace(/\/+$/u, "")));
  return placesOf("grep", read).map((place) =>
    treeAt(place, {
      meets: isNamed,
      enters: (name) => !left.some((test) => test?.(name)),
      follows: follows ? "all" : "none",
    }),
  );
}

function placesOf(program: string, read: Operands): readonly string[] {
  const places = filesAmong(program, read);
  return places.length === 0 ? ["."] : places;
}

const extensions: ReadonlyMap<string, RegExp> = new Map([
  ...alike("ts typescript", /\.[cm]?tsx?$/u),
  ["js", /\.(?:[cm]?js|jsx|vue)$/u],
  ...alike("py python", /\.pyi?$/u),
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
  ...alike("md markdown", /\.(?:md|markdown|mdown|mdwn|mdx|mkd|mkdn)$/u),
]);

/** `isFed`: without operands, it reads its input. */
export function searchedByRg(texts: readonly string[], isFed: boolean): Tree[] {
  const read = dividedOf("rg", texts);
  const { given } = read;
  if (has(read, "--files", "--type-list", "--version", "--help", "-V")) return [];
  if (isFed && filesAmong("rg", read).length === 0) return [];
  const openness = given.filter(({ name }) => name === "-u" || name === "--unrestricted").length;
  const globs = globsOf(read);
  const isOpen = globs.some(({ isWanted }) => isWanted);
  const types = valuesOf(read, "-t", "--type").map((name) => extensionsOf(name, read));
  const isOfType = (name: string): boolean => types.some((type) => type.test(name));
  return placesOf("rg", read).map((place) => {
    const start = namesOfPlace(place);
    // As in git, the last glob that matches counts.
    const said = (name: string, above: readonly string[], isFolder: boolean): boolean | undefined =>
      globs.findLast(({ means }) => means(name, start && [...start, ...above], isFolder))?.isWanted;
    return treeAt(place, {
      // If a glob selects files, only these are searched, whatever their type.
      meets: (name, above) => said(name, above, false) ?? (!isOpen && (types.length === 0 || isOfType(name))),
      enters: (name, above) => said(name, above, true) !== false,
      follows: has(read, "-L", "--follow") ? "all" : "none",
      isByPath: true,
      depth: depthOf(valuesOf(read, "-d", "--max-depth")),
      skips: {
        by: openness > 0 ? [] : ignoreFiles(read, ".rgignore"),
        hidden: openness < 2 && !has(read, "--hidden", "-.", "--ignore-file"),
        opens: (name, above, isFolder) => said(name, above, isFolder) === true || (!isFolder && isOfType(name)),
      },
    });
  });
}

function extensionsOf(type: string, read: Operands): RegExp {
  return (has(read, "--type-add") ? undefined : extensions.get(type)) ?? /(?:)/u;
}

/** The ignore files that a program like rg reads. `own`: its own kind. */
export function ignoreFiles(read: Operands, own: string): string[] {
  if (has(read, "--no-ignore")) return [];
  return [
    ...(has(read, "--no-ignore-vcs") ? [] : gitIgnoreFiles.slice(0, has(read, "--no-ignore-exclude") ? 1 : 2)),
    ...(has(read, "--no-ignore-dot") ? [] : [".ignore", own]),
  ];
}

interface Glob {
  isWanted: boolean;
  /** `above`: relative to the working directory; undefined if unknown. Then the glob is taken to match whatever leads to more files. */
  means: (name: string, above: readonly string[] | undefined, isFolder: boolean) => boolean;
}

function globsOf(read: Operands): Glob[] {
  const of = (isFolded: boolean, ...names: string[]): Glob[] =>
    valuesOf(read, ...names)
      .flatMap(withoutBraces)
      .map((glob) => globOf(glob.replace(/^!/u, ""), !glob.startsWith("!"), isFolded));
  // Globs that ignore case count last, wherever they are.
  return [...of(has(read, "--glob-case-insensitive"), "-g", "--glob"), ...of(true, "--iglob")];
}

function globOf(glob: string, isWanted: boolean, folds: boolean): Glob {
  const pattern = unclearGlob.test(glob) || hasHole(glob) ? null : parsePathPattern(glob, { folds });
  if (pattern === null) return { isWanted, means: () => isWanted };
  const isAnywhere = anywhereNamed(pattern) !== undefined;
  return {
    isWanted,
    means: (name, above, isFolder) => {
      if (above === undefined && !isAnywhere) return isWanted;
      const names = isAnywhere ? [name] : [...(above ?? []), name];
      return matchesItself(pattern, folds ? names.map(foldCase) : names, isFolder);
    },
  };
}

/** The names of a place, as globs see them. */
function namesOfPlace(place: string): string[] | undefined {
  const text = place.replace(/^\.(?:\/|$)/u, "").replace(/\/$/u, "");
  if (/^[~/]|\/\/|(?:^|\/)\.{1,2}(?:\/|$)|[*?[{]/u.test(text) || hasHole(text)) return undefined;
  return text === "" ? [] : text.split("/");
}

/** ag has other rules for ignored files: only hidden files are known to be left out. */
export function searchedByAg(texts: readonly string[]): Tree[] {
  const read = dividedOf("ag", texts);
  if (has(read, "-g", "-l", "--list-file-types")) return [];
  const hidden = !has(read, "--hidden", "-u", "--unrestricted", "-a", "--all-types", "-t", "--all-text");
  const follows = has(read, "-f", "--follow") ? "all" : "none";
  return placesOf("ag", read).map((place) => treeAt(place, { follows, skips: { by: [], hidden } }));
}

function depthOf(values: readonly string[]): number {
  const [value] = values;
  return value !== undefined && /^\d+$/u.test(value) ? Number(value) : Number.POSITIVE_INFINITY;
}
