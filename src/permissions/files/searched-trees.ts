/** The folders that searching programs go through. */
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
  const globs = [...valuesOf(read, "-g", "--glob"), ...valuesOf(read, "--iglob")].flatMap(withoutBraces);
  const isOpen = globs.some((glob) => !glob.startsWith("!"));
  const wanted = lastOf(
    globs.map((glob) => ({ isWanted: !glob.startsWith("!"), pattern: glob.replace(/^!/u, "") })),
    !isOpen,
  );
  const types = valuesOf(read, "-t", "--type").map((name) => extensions.get(name) ?? /(?:)/u);
  const left = globs
    .filter((glob) => glob.startsWith("!"))
    .map((glob) => namedBy(glob.replace(/^!(?:\*\*\/)?/u, "").replace(/(?:\/\*\*?)?\/?$/u, "")));
  // What a glob or a type names is searched although it is hidden.
  const opens = isOpen || types.length > 0;
  return placesOf("rg", read).map((place) =>
    treeAt(place, {
      meets: (name) => wanted(name) && (types.length === 0 || types.some((type) => type.test(name))),
      enters: (name) => !left.some((test) => test?.(name)),
      follows: has(read, "-L", "--follow") ? "all" : "none",
      depth: depthOf(valuesOf(read, "-d", "--max-depth")),
      skips: { ignored: ignored && !isOpen, hidden: hidden && !opens },
    }),
  );
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
