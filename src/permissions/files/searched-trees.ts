/** The folders that searching programs go through. */
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

/** `isFed`: it reads what is piped into it where nothing is named. */
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
    // As git does: the last one that means it counts.
    const said = (name: string, above: readonly string[], isFolder: boolean): boolean | undefined =>
      globs.findLast(({ means }) => means(name, start && [...start, ...above], isFolder))?.isWanted;
    return treeAt(place, {
      // Where a glob says what is wanted, it is that whatever its type, and nothing else is.
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

/** The files by which a program like rg leaves out others. `own`: its own kind. */
export function ignoreFiles(read: Operands, own: string): string[] {
  if (has(read, "--no-ignore")) return [];
  return [
    ...(has(read, "--no-ignore-vcs") ? [] : gitIgnoreFiles.slice(0, has(read, "--no-ignore-exclude") ? 1 : 2)),
    ...(has(read, "--no-ignore-dot") ? [] : [".ignore", own]),
  ];
}

interface Glob {
  isWanted: boolean;
  /** `above`: from where it runs; undefined where that cannot be told. What it means is then whatever adds to what is searched. */
  means: (name: string, above: readonly string[] | undefined, isFolder: boolean) => boolean;
}

function globsOf(read: Operands): Glob[] {
  const of = (isFolded: boolean, ...names: string[]): Glob[] =>
    valuesOf(read, ...names)
      .flatMap(withoutBraces)
      .map((glob) => globOf(glob.replace(/^!/u, ""), !glob.startsWith("!"), isFolded));
  // Wherever they stand, those that know no upper case count last.
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

/** The names of a place as globs see it. */
function namesOfPlace(place: string): string[] | undefined {
  const text = place.replace(/^\.(?:\/|$)/u, "").replace(/\/$/u, "");
  if (/^[~/]|\/\/|(?:^|\/)\.{1,2}(?:\/|$)|[*?[{]/u.test(text) || hasHole(text)) return undefined;
  return text === "" ? [] : text.split("/");
}

/** It goes by other rules for what is ignored: only hidden files are known to be left out. */
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
