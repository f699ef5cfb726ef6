/** The trees that programs copy, pack, send, compare or remove as a whole. */
import { parseWords, parseProgramWords, hasOption, type Operands, valuesOfOption } from "../options/operands.ts";
import { hasOptionOrAbbreviation } from "../options/running-options.ts";
import { isPlainZip, zipListOptions, mayTakeNext, zipPlaceIndexes } from "./shown-words.ts";
import { rsyncExclusions, tarExclusions, zipPathTest } from "./exclusions.ts";
import { exclusionsByName, createNameTest, treeAt, type Tree } from "./tree.ts";
import { isLocal, transferToLast, createTargetNamer, readTransfer, type Transfer } from "./written-paths.ts";

/**
 * The trees of a copy: all below the sources is read, and written below the target; if that is a folder, under the sources' names.
 * `nameless` matches sources whose content is meant: for rsync, and for cp and mv of some systems but not GNU's, a final slash does that.
 */
function copyTrees(
  sources: readonly string[],
  targets: readonly string[],
  properties: Partial<Tree> = {},
  nameOf = createTargetNamer(),
  nameless = /(?:^|\/)\.{1,2}\/*$|^\/*$/u,
): Tree[] {
  return sources.flatMap((source) => [
    treeAt(source, properties),
    ...targets.flatMap((target) => {
      const whole = treeAt(source, { ...properties, access: "write", destination: target });
      return nameless.test(source) ? [whole] : [whole, { ...whole, copyName: nameOf(source) }];
    }),
  ]);
}

/** Marks what is read as written, because it is removed afterwards. */
function markMoved(trees: readonly Tree[], isMoved = true): Tree[] {
  return trees.map((tree) => (isMoved && tree.access === "read" ? { ...tree, access: "write" } : tree));
}

const isPattern = (text: string): boolean => /[*?[]/u.test(text);

/** The same for programs that leave out folders: nothing below the sources. A source that is not a glob is one of the words anyway. */
function globCopyTrees({ sources, targets }: Transfer, isMade: boolean, nameOf = createTargetNamer()): Tree[] {
  const none = (): boolean => false;
  return copyTrees(sources.filter(isPattern), targets, { enters: none, reaches: none, isMade }, nameOf);
}

export const treesOfInstall = (texts: readonly string[]): Tree[] => {
  const read = parseProgramWords("install", texts);
  return globCopyTrees(readTransfer(read), hasOption(read, "-D"));
};

export function treesOfCp(texts: readonly string[]): Tree[] {
  const read = parseProgramWords("cp", texts);
  const nameOf = createTargetNamer("cp", read);
  const transfer = readTransfer(read);
  const { sources, targets } = transfer;
  if (!hasOptionOrAbbreviation(read, "-r", "-R", "-a", "--recursive", "--archive"))
    return globCopyTrees(transfer, false, nameOf);
  return copyTrees(
    sources,
    targets,
    { follows: hasOptionOrAbbreviation(read, "-L", "--dereference") ? "all" : "none" },
    nameOf,
  );
}

export function treesOfRsync(texts: readonly string[]): Tree[] {
  const read = parseProgramWords("rsync", texts);
  if (
    !hasOptionOrAbbreviation(
      read,
      "-r",
      "-a",
      "-d",
      ..."--recursive --archive --dirs --old-dirs --files-from".split(" "),
    )
  )
    return globCopyTrees(transferToLast(read.operands), true, createTargetNamer("rsync", read));
  const { sources, targets } = transferToLast(read.operands);
  // A backslash may be part of a name.
  const excluded = valuesOfOption(read, "--exclude").filter((pattern) => !pattern.includes("\\"));
  // Includes, filters and lists may undo exclusions; a pattern of `--exclude` may do so, too.
  const isUndone =
    hasOption(read, "--include", "--include-from", "--exclude-from", "--filter", "-f", "-F") ||
    excluded.some((each) => /^(?:!|[-+] )/u.test(each));
  const follows = hasOptionOrAbbreviation(read, "-L", "-k", "--copy-links", "--copy-dirlinks", "--copy-unsafe-links")
    ? "all"
    : "none";
  const left = isUndone ? [] : excluded;
  const local = targets.filter(isLocal);
  const removed = read.givenOptions.some(({ name }) => name.startsWith("--del"))
    ? local.map((place) => treeAt(place, { access: "write" }))
    : [];
  const isMoved = hasOptionOrAbbreviation(read, "--remove-source-files", "--remove-sent-files");
  const isRelative = hasOptionOrAbbreviation(read, "-R", "--relative");
  const all = sources.filter(isLocal).flatMap((source) => {
    const properties = { ...rsyncExclusions(left, isRelative ? undefined : source), follows, isMade: true } as const;
    return copyTrees(
      [source],
      local,
      properties,
      createTargetNamer("rsync", read),
      isRelative ? /^\.?\/*$/u : /(?:^|\/)\.{0,2}\/*$/u,
    );
  });
  return [...markMoved(all, isMoved), ...removed];
}

export function treesOfScp(texts: readonly string[]): Tree[] {
  const read = parseProgramWords("scp", texts);
  const { sources, targets } = transferToLast(read.operands);
  if (!hasOption(read, "-r")) return globCopyTrees({ sources, targets }, false);
  return copyTrees(sources.filter(isLocal), targets.filter(isLocal), { follows: "all" });
}

export function treesOfDiff(texts: readonly string[]): Tree[] {
  const read = parseProgramWords("diff", texts);
  const properties: Partial<Tree> = {
    ...exclusionsByName(valuesOfOption(read, "-x", "--exclude")),
    follows: hasOption(read, "--no-dereference") ? "none" : "all",
  };
  const isDeep = hasOptionOrAbbreviation(read, "-r", "--recursive");
  return read.operands.map((place) => treeAt(place, { ...properties, ...(isDeep ? {} : { depth: 1 }) }));
}

export function treesOfZip(texts: readonly string[]): Tree[] {
  const read = parseProgramWords("zip", texts);
  const isAnywhere = hasOptionOrAbbreviation(read, "-R", "--recurse-patterns");
  if (!isAnywhere && !hasOptionOrAbbreviation(read, "-r", "--recurse-paths")) return [];
  // With other options, a star may not match slashes.
  const isPlain = isPlainZip(texts);
  const lists = zipListOptions(texts);
  const isLeftOut = (at: number): boolean => lists[at] === "-x" || lists[at] === "--exclude";
  const patterns = isPlain ? read.operandIndexes.filter(isLeftOut).map((at) => texts[at] ?? "") : [];
  const left = patterns.map(zipPathTest);
  const leftBelow = patterns.filter((pattern) => pattern.endsWith("*")).map(zipPathTest);
  const places = isAnywhere
    ? ["."]
    : zipPlaceIndexes(texts)
        .slice(1)
        .map((at) => texts[at] ?? "");
  const trees = places.map((place) => {
    const top = place.replace(/^(?:\.?\/)+|\/$/gu, "");
    const isExcluded = (tests: typeof left, name: string, above: readonly string[]): boolean => {
      const path = [...(top === "." || top === "" ? [] : [top]), ...above, name].join("/");
      return !place.includes("//") && tests.some((isMet) => isMet(path));
    };
    return treeAt(place, {
      reaches: (name, above) => !isExcluded(left, name, above),
      enters: (name, above) => !isExcluded(leftBelow, `${name}/`, above),
      isByPath: left.length > 0,
      follows: hasOption(read, "-y", "--symlinks") ? "none" : "all",
    });
  });
  return markMoved(trees, hasOptionOrAbbreviation(read, "-m", "--move"));
}

/** Spells out `cfC archive folder`: values follow in the order of the letters that take them. */
function spellOutTarOptions(texts: readonly string[]): readonly string[] {
  const [first = "", ...rest] = texts;
  if (!/^[A-Za-z]+$/u.test(first)) return texts;
  const options = first
    .split("")
    .flatMap((letter) => [`-${letter}`, ...(/[bCfgHIKLNTVX]/u.test(letter) ? rest.splice(0, 1) : [])]);
  return [...options, ...rest];
}

export function treesOfTar(written: readonly string[]): Tree[] {
  const texts = spellOutTarOptions(written);
  const read = parseProgramWords("tar", texts);
  if (!hasOptionOrAbbreviation(read, "-c", "-r", "-u", "--create", "--append", "--update")) return [];
  // With these options, a pattern is literal or must match the whole path.
  const isOther = hasOptionOrAbbreviation(read, "--anchored", "--no-wildcards", "--no-wildcards-match-slash");
  const follows = hasOptionOrAbbreviation(read, "-h", "-L", "--dereference") ? "all" : "none";
  const state = new TarState(read, texts);
  const trees = read.operands.flatMap((place, index) => {
    state.advanceTo(read.operandIndexes[index] ?? 0);
    const left = isOther ? [] : state.excluded;
    const properties: Partial<Tree> = { ...tarExclusions(left, place), follows };
    // The pattern is matched here by the shell, but applies in tar's folder.
    const ofAll: Partial<Tree> = { ...exclusionsByName(left), follows, isByPath: true };
    return (place.startsWith("/") ? [""] : state.folders()).map((folder) =>
      folder !== "" && isPattern(place) ? treeAt(folder, ofAll) : treeAt(folder + place, properties),
    );
  });
  return markMoved(trees, hasOptionOrAbbreviation(read, "--remove-files"));
}

const plainFolder = /^~?[\w./@+-]+$/u;
/** Each folder is relative to the one before, and if one of them is unknown, each place may be in any of them. */
const maxTarPlaces = 20_000;
/** Characters; no system accepts longer paths. */
const maxFolderLength = 4_096;
const tooManyFolders = "tar is told to work in more folders than can be checked";

/** The effect of options that precede a place. */
class TarState {
  readonly #read: Operands;
  readonly #texts: readonly string[];
  #next = 0;
  #isSure = true;
  #lastFolder = "";
  #placesLeft = maxTarPlaces;
  readonly #allFolders: string[] = [];
  readonly excluded: string[] = [];

  constructor(read: Operands, texts: readonly string[]) {
    this.#read = read;
    this.#texts = texts;
  }

  advanceTo(place: number): void {
    for (let option = this.#read.givenOptions[this.#next]; option !== undefined && option.at < place;) {
      const { name, value, at } = option;
      if (name === "--exclude") this.excluded.push(value);
      if (name === "-C" || name === "--directory") {
        this.#isSure &&= plainFolder.test(value) && !mayTakeNext("tar", this.#texts.slice(0, at));
        this.#lastFolder = `${/^[/~]/u.test(value) ? "" : this.#lastFolder}${value}/`;
        this.#allFolders.push(`${value}/`);
        if (this.#lastFolder.length > maxFolderLength) throw new Error(tooManyFolders);
      }
      option = this.#read.givenOptions[(this.#next += 1)];
    }
  }

  folders(): string[] {
    const found = this.#isSure ? [this.#lastFolder] : ["", this.#lastFolder, ...this.#allFolders];
    this.#placesLeft -= found.length;
    if (this.#placesLeft < 0) throw new Error(tooManyFolders);
    return found;
  }
}

/** Switches may be anywhere. Without names, 7z packs everything here. A star matches every name. */
export function treesOf7z(texts: readonly string[]): Tree[] {
  const end = texts.includes("--") ? texts.indexOf("--") : texts.length;
  const switches = texts.slice(0, end).filter((text) => text.startsWith("-"));
  const [command = "", , ...fileWords] = texts.filter((text, at) => at > end || (at < end && !text.startsWith("-")));
  if (!/^[au]$/iu.test(command)) return [];
  // Without `r`, a pattern applies at the top level. 7z knows no character classes.
  const left = exclusionsByName(switches.flatMap((text) => /^-xr!([^/[\\]+)$/iu.exec(text)?.[1] ?? []));
  const isOpen = fileWords.length === 0 || [...switches, ...fileWords].some((text) => /^(?:@|-i)/iu.test(text));
  return markMoved(
    [...(isOpen ? ["."] : []), ...fileWords].map((place) => treeOf7zPlace(place, left)),
    switches.some((text) => /^-sdel/iu.test(text)),
  );
}

function treeOf7zPlace(place: string, exclusion: Pick<Tree, "enters" | "reaches">): Tree {
  const properties: Partial<Tree> = { ...exclusion, follows: "all", isByPath: true };
  const sign = place.search(/[*?]/u);
  if (sign < 0) return treeAt(place, properties);
  const folder = place.slice(0, place.lastIndexOf("/", sign) + 1);
  const pattern = place.slice(folder.length);
  const isNamed = /[[\\]/u.test(pattern) ? undefined : createNameTest(pattern);
  return treeAt(folder === "" ? "." : folder, {
    ...properties,
    reaches: (name, above) =>
      exclusion.reaches(name, above) && (isNamed === undefined || [...above, name].some(isNamed)),
  });
}

/** With one of these options, what is done to a folder is done to its whole content. */
export function createRecursiveReader(options: readonly string[], hasModes = false) {
  return (texts: readonly string[]): Tree[] => {
    const read = parseWords(texts);
    if (!hasOptionOrAbbreviation(read, ...options)) return [];
    // A mode may look like an option: `-w`.
    const hasModeOption =
      hasOptionOrAbbreviation(read, "--reference") || read.givenOptions.some(({ name }) => /^-[rwxXst]$/u.test(name));
    return (hasModes && !hasModeOption ? read.operands.slice(1) : read.operands).map((place) =>
      treeAt(place, { access: "write" }),
    );
  };
}

export const treesOfMv = (texts: readonly string[]): Tree[] => {
  const { sources, targets } = readTransfer(parseProgramWords("cp", texts));
  return markMoved(copyTrees(sources, targets));
};
