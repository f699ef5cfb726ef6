/** The folders that programs send elsewhere, serve, pack or print as a whole: `docker cp . web:/`, `aws s3 sync . s3://x`, `npx serve`. */
import { entriesForNames } from "../../lib/entries-for-names.ts";
import { hasOption, parseWords, valuesOfOption, type Operands } from "../options/operands.ts";
import { createProgramLookup, type Program } from "../options/program-options.ts";
import { hasOptionOrAbbreviation } from "../options/running-options.ts";
import { hasHole } from "../shell/fill.ts";
import { createRecursiveReader, treesOf7z, treesOfTar } from "./copied-trees.ts";
import { lastStarMatchExclusions, rsyncExclusions } from "./exclusions.ts";
import { packingRows, printingRows, sendingRows, servingRows } from "./handed-folders-table.ts";
import { gitIgnoreFiles } from "./ignored-names.ts";
import { treesOfGrep, treesOfRg } from "./searched-trees.ts";
import { treeAt, type Tree } from "./tree.ts";
import { isLocal } from "./written-paths.ts";

/** What stands before the last place on another machine, or before the last place. A word that only the shell will know may be one. */
function sentPlaces({ operands }: Operands): string[] {
  const target = operands.findLastIndex((place) => !isLocal(place) || hasHole(place));
  return operands.slice(0, target < 0 ? -1 : target).filter(isLocal);
}

const placesOrHere = (places: readonly string[]): readonly string[] => (places.length === 0 ? ["."] : places);

interface Handing {
  rows: string;
  find: (name: string) => Program | undefined;
  /** `folders`: those that options name. */
  places: (read: Operands, folders: readonly string[]) => readonly string[];
  properties?: Partial<Tree>;
}

function handing(rows: string, places: Handing["places"], properties: Partial<Tree> = {}): Handing {
  return { rows, find: createProgramLookup(rows), places, properties };
}

const handings: readonly Handing[] = [
  handing(sendingRows, (read, folders) => [...folders, ...sentPlaces(read)]),
  handing(servingRows, ({ operands }, folders) => placesOrHere([...folders, ...operands])),
  handing(packingRows, ({ operands }, folders) => [...folders, ...operands]),
  handing(printingRows, (read) => (hasOption(read, "--remote") ? [] : placesOrHere(read.operands)), {
    skips: { ignoreFiles: gitIgnoreFiles, hidden: false },
  }),
];

function treesOfHanding(
  { places, properties }: Handing,
  key: string,
  program: Program,
  texts: readonly string[],
): Tree[] {
  const read = parseWords(texts, program);
  const isGiven = (options: Program["deep"]): boolean =>
    options === "always" || hasOptionOrAbbreviation(read, ...options);
  if (program.deep.length > 0 && !isGiven(program.deep)) return [];
  const folders = [...program.options].flatMap(([name, { value }]) =>
    value === "path" ? valuesOfOption(read, name) : [],
  );
  // Includes and filters may undo exclusions.
  const isUndone = hasOptionOrAbbreviation(read, "--include", "--filter");
  const excluded = program.options.has("--exclude") && !isUndone ? valuesOfOption(read, "--exclude") : [];
  const exclusions = key.startsWith("aws:")
    ? lastStarMatchExclusions(read.givenOptions)
    : rsyncExclusions(excluded, "./");
  const follows = isGiven(program.follows) ? "all" : "none";
  return places(read, folders).map((place) => treeAt(place, { ...exclusions, follows, ...properties }));
}

/** A subcommand of at most this many words. */
const maxSubcommand = 4;
let knownPrograms: ReadonlySet<string> | undefined;

function isKnownProgram(program: string): boolean {
  knownPrograms ??= new Set(
    handings.flatMap(({ rows }) => [...rows.matchAll(/(?<=^|,)[^\s:,]+/gmu)].map(([name]) => name)),
  );
  return knownPrograms.has(program);
}

/** The program with its subcommand, in each way in which the words may be read, and the index of the word behind it. */
function subcommandReadings(program: string, texts: readonly string[]): { key: string; end: number }[] {
  const found = [{ key: program, end: 0 }];
  for (let start = 0; start < texts.length; start += 1) {
    for (let end = start + 1; end <= Math.min(start + maxSubcommand, texts.length); end += 1)
      found.push({ key: [program, ...texts.slice(start, end)].join(":"), end });
    // Behind an option, a word may be its value.
    if (texts[start]?.startsWith("-") !== true && texts[start - 1]?.startsWith("-") !== true) break;
  }
  return found;
}

/** Ruby's `-run` makes programs of its words. */
function treesOfRuby(texts: readonly string[]): Tree[] {
  const at = texts.findIndex((text, index) => text === "-ehttpd" || (text === "httpd" && texts[index - 1] === "-e"));
  return at < 0 || !texts.includes("-run") ? [] : treesOfHandedFolders("ruby", texts.slice(at).with(0, "httpd"));
}

/** Its own options end at the first script. */
function treesOfPhp(texts: readonly string[]): Tree[] {
  const end = texts.findIndex((text, at) => !text.startsWith("-") && !/^-[Scdtz]$/u.test(texts[at - 1] ?? ""));
  const own = end < 0 ? texts : texts.slice(0, end);
  if (!own.some((text) => text.startsWith("-S"))) return [];
  const at = own.findLastIndex((text) => text.startsWith("-t"));
  const folder = at < 0 ? "." : own[at]?.slice("-t".length) || (own[at + 1] ?? ".");
  return [treeAt(folder, { follows: "all" })];
}

/** Also with a configuration file or a pattern for names, it may go through hidden files. */
const showsHiddenForUgrep = /^-(?:-(?:-|conf|hid|g|ig|incl)|[A-Za-z\d]*[.gO])/u;

function treesOfUgrep(texts: readonly string[]): Tree[] {
  const hidden = !texts.some((text) => showsHiddenForUgrep.test(text));
  return treesOfGrep(texts, true).map((tree) => ({ ...tree, skips: { ignoreFiles: [], hidden } }));
}

/** Programs that take their words as the better known ones do. */
const likeOthers = new Map<string, (texts: readonly string[]) => Tree[]>([
  ...entriesForNames("pcregrep pcre2grep zstdgrep lzgrep", treesOfGrep),
  ...entriesForNames("ugrep ug", treesOfUgrep),
  ["rga", (texts) => treesOfRg(texts, false)],
  ...entriesForNames("gnutar jar", treesOfTar),
  ["rar", treesOf7z],
  ...entriesForNames("pigz unpigz", createRecursiveReader(["-r", "--recursive"])),
  ...entriesForNames("chattr setfacl chcon", createRecursiveReader(["-R", "--recursive"])),
  ["php", treesOfPhp],
]);

/** For programs that are not in the table of `command-trees.ts`. */
export function treesOfHandedFolders(program: string, texts: readonly string[]): Tree[] {
  const name = program.replace(/(?<=.)@.*$/u, "");
  const read = likeOthers.get(name);
  if (read !== undefined) return read(texts);
  if (name === "ruby" && texts[0] !== "httpd") return treesOfRuby(texts);
  if (!isKnownProgram(name)) return [];
  return subcommandReadings(name, texts).flatMap(({ key, end }) =>
    handings.flatMap((handing) => {
      const known = handing.find(key);
      return known === undefined ? [] : treesOfHanding(handing, key, known, texts.slice(end));
    }),
  );
}
