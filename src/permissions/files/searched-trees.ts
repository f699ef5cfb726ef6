/** The folders that searching programs go through. */
import { anywhereNamed, matchesNames, parsePathPattern } from "../../lib/path-pattern.ts";
import { dividedOf, filesAmong, has, type Operands, valuesOf } from "../options/operands.ts";
import { withoutBraces } from "../shell/fill.ts";
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
  ["ts", /\.[cm]?tsx?$/u],
  ["typescript", /\.[cm]?tsx?$/u],
  ["js", /\.(?:[cm]?js|jsx|vue)$/u],
  ["py", /\.pyi?$/u],
  ["python", /\.pyi?$/u],
  ["rust", /\.rs$/u],
  ["go", /\.go$/u],
  ["java", /\.(?:java|jsp|jspx|properties)$/u],
  ["c", /\.(?:c|h|H|cats|h\.in)$/u],
  ["cpp", /\.(?:[Cch](?:pp|xx|\+\+)?|cc|hh|inl|H|in)$/u],
  ["css", /\.s?css$/u],
  ["html", /\.(?:html?|ejs)$/u],
  ["md", /\.(?:md|markdown|mdown|mdwn|mdx|mkd|mkdn)$/u],
  ["markdown", /\.(?:md|markdown|mdown|mdwn|mdx|mkd|mkdn)$/u],
]);

/** `isFed`: it reads what is piped into it where nothing is named. */
export function searchedByRg(texts: readonly string[], isFed: boolean): Tree[] {
  const read = dividedOf("rg", texts);
  const { given } = read;
  if (has(read, "--files", "--type-list", "--version", "--help", "-V")) return [];
  if (isFed && filesAmong("rg", read).length === 0) return [];
  const openness = given.filter(({ name }) => name === "-u" || name === "--unrestricted").length;
  const ignored = openness < 1 && !given.some(({ name }) => name.startsWith("--no-ignore"));
  const hidden = openness < 2 && !has(read, "--hidden", "-.");
  // Wherever they stand, those that know no upper case count last.
  const globs = ["-g --glob", "--iglob"].flatMap((names, at) =>
    valuesOf(read, ...names.split(" "))
      .flatMap(withoutBraces)
      .map((glob) => ({ isWanted: !glob.startsWith("!"), pattern: glob.replace(/^!/u, ""), folds: at > 0 })),
  );
  const isOpen = globs.some(({ isWanted }) => isWanted);
  const wanted = lastOf(globs, !isOpen);
  const types = valuesOf(read, "-t", "--type").map((name) => extensions.get(name) ?? /(?:)/u);
  // What a glob names is searched whatever its type is.
  const isTyped = (name: string): boolean => isOpen || types.length === 0 || types.some((type) => type.test(name));
  const folders = globs.flatMap((glob, at) => {
    // What it means below a folder is wanted again where a later one says so.
    const isUndone = /\/\*+$/u.test(glob.pattern) && globs.slice(at).some(({ isWanted }) => isWanted);
    const test = glob.isWanted ? (namedBy(glob.pattern, glob.folds) ?? (() => true)) : leftFolder(glob.pattern);
    return test === undefined || (isUndone && !glob.isWanted) ? [] : [{ isWanted: glob.isWanted, test }];
  });
  // What a glob or a type names is searched although it is hidden.
  const opens = isOpen || types.length > 0;
  return placesOf("rg", read).map((place) =>
    treeAt(place, {
      meets: (name) => wanted(name) && isTyped(name),
      enters: (name, above) => {
        const below = /^(?:\.\/*)?$/u.test(place) ? above : undefined;
        return folders.findLast(({ test }) => test(name, below))?.isWanted !== false;
      },
      follows: has(read, "-L", "--follow") ? "all" : "none",
      depth: depthOf(valuesOf(read, "-d", "--max-depth")),
      skips: { ignored: ignored && !isOpen, hidden: hidden && !opens },
    }),
  );
}

/** The folders that a glob names: with a slash that is not at its end it counts from where the search begins. `above`: undefined elsewhere. */
function leftFolder(glob: string): ((name: string, above: readonly string[] | undefined) => boolean) | undefined {
  const text = glob.replace(/\/\*\*?$/u, "/");
  const pattern = /\s$/u.test(glob) ? null : parsePathPattern(/\/./u.test(glob) ? `/${text}` : text, { folds: false });
  if (pattern === null) return undefined;
  const isNamed = anywhereNamed(pattern);
  return (name, above) => isNamed?.(name) ?? (above !== undefined && matchesNames(pattern, [...above, name], true));
}

/** It goes by other rules for what is ignored: only hidden files are known to be left out. */
export function searchedByAg(texts: readonly string[]): Tree[] {
  const read = dividedOf("ag", texts);
  if (has(read, "-g", "-l", "--list-file-types")) return [];
  const hidden = !has(read, "--hidden", "-u", "--unrestricted", "-a", "--all-types", "-t", "--all-text");
  const follows = has(read, "-f", "--follow") ? "all" : "none";
  return placesOf("ag", read).map((place) => treeAt(place, { follows, skips: { ignored: false, hidden } }));
}

function depthOf(values: readonly string[]): number {
  const [value] = values;
  return value !== undefined && /^\d+$/u.test(value) ? Number(value) : Number.POSITIVE_INFINITY;
}
