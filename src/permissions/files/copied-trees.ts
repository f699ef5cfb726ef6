/** The trees that programs copy, pack, send, compare or remove as a whole. */
import { divided, dividedOf, has, type Operands, valuesOf } from "../options/operands.ts";
import { isGiven } from "../options/running-options.ts";
import { isPlainZip, listsOfZip, mayTakeNext, placesOfZip } from "./shown-words.ts";
import { leftByRsync, leftByTar, metByZip } from "./left-out.ts";
import { leaving, namedBy, treeAt, type Tree } from "./tree.ts";
import { isLocal, lastOf, nameIn, targetOf, type Transfer } from "./written-paths.ts";

/**
 * The trees of a copy: all below the sources is read, and written below the target; if that is a folder, under the sources' names.
 * `nameless` matches sources whose content is meant: for rsync, and for cp and mv of some systems but not GNU's, a final slash does that.
 */
function copied(
  sources: readonly string[],
  targets: readonly string[],
  given: Partial<Tree> = {},
  nameOf = nameIn(),
  nameless = /(?:^|\/)\.{1,2}\/*$|^\/*$/u,
): Tree[] {
  return sources.flatMap((source) => [
    treeAt(source, given),
    ...targets.flatMap((target) => {
      const whole = treeAt(source, { ...given, access: "write", onto: target });
      return nameless.test(source) ? [whole] : [whole, { ...whole, called: nameOf(source) }];
    }),
  ]);
}

/** Marks what is read as written, because it is removed afterwards. */
function moved(trees: readonly Tree[], isMoved = true): Tree[] {
  return trees.map((tree) => (isMoved && tree.access === "read" ? { ...tree, access: "write" } : tree));
}

const isPattern = (text: string): boolean => /[*?[]/u.test(text);

/** The same for programs that leave out folders: nothing below the sources. A source that is not a glob is one of the words anyway. */
function laidBy({ sources, targets }: Transfer, isMade: boolean, nameOf = nameIn()): Tree[] {
  const none = (): boolean => false;
  return copied(sources.filter(isPattern), targets, { enters: none, meets: none, isMade }, nameOf);
}

export const laidByInstall = (texts: readonly string[]): Tree[] => {
  const read = dividedOf("install", texts);
  return laidBy(targetOf(read), has(read, "-D"));
};

export function copiedByCp(texts: readonly string[]): Tree[] {
  const read = dividedOf("cp", texts);
  const nameOf = nameIn("cp", read);
  const transfer = targetOf(read);
  const { sources, targets } = transfer;
  if (!isGiven(read, "-r", "-R", "-a", "--recursive", "--archive")) return laidBy(transfer, false, nameOf);
  return copied(sources, targets, { follows: isGiven(read, "-L", "--dereference") ? "all" : "none" }, nameOf);
}

export function copiedByRsync(texts: readonly string[]): Tree[] {
  const read = dividedOf("rsync", texts);
  if (!isGiven(read, "-r", "-a", "-d", ..."--recursive --archive --dirs --old-dirs --files-from".split(" ")))
    return laidBy(lastOf(read.operands), true, nameIn("rsync", read));
  const { sources, targets } = lastOf(read.operands);
  // A backslash may be part of a name.
  const excluded = valuesOf(read, "--exclude").filter((pattern) => !pattern.includes("\\"));
  // Includes, filters and lists may undo exclusions; a pattern of `--exclude` may do so, too.
  const isUndone =
    has(read, "--include", "--include-from", "--exclude-from", "--filter", "-f", "-F") ||
    excluded.some((each) => /^(?:!|[-+] )/u.test(each));
  const follows = isGiven(read, "-L", "-k", "--copy-links", "--copy-dirlinks", "--copy-unsafe-links") ? "all" : "none";
  const left = isUndone ? [] : excluded;
  const local = targets.filter(isLocal);
  const removed = read.given.some(({ name }) => name.startsWith("--del"))
    ? local.map((place) => treeAt(place, { access: "write" }))
    : [];
  const isMoved = isGiven(read, "--remove-source-files", "--remove-sent-files");
  const isRelative = isGiven(read, "-R", "--relative");
  const all = sources.filter(isLocal).flatMap((source) => {
    const given = { ...leftByRsync(left, isRelative ? undefined : source), follows, isMade: true } as const;
    return copied([source], local, given, nameIn("rsync", read), isRelative ? /^\.?\/*$/u : /(?:^|\/)\.{0,2}\/*$/u);
  });
  return [...moved(all, isMoved), ...removed];
}

export function copiedByScp(texts: readonly string[]): Tree[] {
  const read = dividedOf("scp", texts);
  const { sources, targets } = lastOf(read.operands);
  if (!has(read, "-r")) return laidBy({ sources, targets }, false);
  return copied(sources.filter(isLocal), targets.filter(isLocal), { follows: "all" });
}

export function comparedByDiff(texts: readonly string[]): Tree[] {
  const read = dividedOf("diff", texts);
  const given: Partial<Tree> = {
    ...leaving(valuesOf(read, "-x", "--exclude")),
    follows: has(read, "--no-dereference") ? "none" : "all",
  };
  const isDeep = isGiven(read, "-r", "--recursive");
  return read.operands.map((place) => treeAt(place, { ...given, ...(isDeep ? {} : { depth: 1 }) }));
}

export function packedByZip(texts: readonly string[]): Tree[] {
  const read = dividedOf("zip", texts);
  const isAnywhere = isGiven(read, "-R", "--recurse-patterns");
  if (!isAnywhere && !isGiven(read, "-r", "--recurse-paths")) return [];
  // With other options, a star may not match slashes.
  const isPlain = isPlainZip(texts);
  const lists = listsOfZip(texts);
  const isLeftOut = (at: number): boolean => lists[at] === "-x" || lists[at] === "--exclude";
  const patterns = isPlain ? read.places.filter(isLeftOut).map((at) => texts[at] ?? "") : [];
  const left = patterns.map(metByZip);
  const leftBelow = patterns.filter((pattern) => pattern.endsWith("*")).map(metByZip);
  const places = isAnywhere
    ? ["."]
    : placesOfZip(texts)
        .slice(1)
        .map((at) => texts[at] ?? "");
  const trees = places.map((place) => {
    const top = place.replace(/^(?:\.?\/)+|\/$/gu, "");
    const isLeft = (tests: typeof left, name: string, above: readonly string[]): boolean => {
      const path = [...(top === "." || top === "" ? [] : [top]), ...above, name].join("/");
      return !place.includes("//") && tests.some((isMet) => isMet(path));
    };
    return treeAt(place, {
      meets: (name, above) => !isLeft(left, name, above),
      enters: (name, above) => !isLeft(leftBelow, `${name}/`, above),
      isByPath: left.length > 0,
      follows: has(read, "-y", "--symlinks") ? "none" : "all",
    });
  });
  return moved(trees, isGiven(read, "-m", "--move"));
}

/** Spells out `cfC archive folder`: values follow in the order of the letters that take them. */
function spelledOut(texts: readonly string[]): readonly string[] {
  const [first = "", ...rest] = texts;
  if (!/^[A-Za-z]+$/u.test(first)) return texts;
  const options = first
    .split("")
    .flatMap((letter) => [`-${letter}`, ...(/[bCfgHIKLNTVX]/u.test(letter) ? rest.splice(0, 1) : [])]);
  return [...options, ...rest];
}

export function packedByTar(written: readonly string[]): Tree[] {
  const texts = spelledOut(written);
  const read = dividedOf("tar", texts);
  if (!isGiven(read, "-c", "-r", "-u", "--create", "--append", "--update")) return [];
  // With these options, a pattern is literal or must match the whole path.
  const isOther = isGiven(read, "--anchored", "--no-wildcards", "--no-wildcards-match-slash");
  const follows = isGiven(read, "-h", "-L", "--dereference") ? "all" : "none";
  const said = new SaidToTar(read, texts);
  const trees = read.operands.flatMap((place, index) => {
    said.goTo(read.places[index] ?? 0);
    const left = isOther ? [] : said.excluded;
    const given: Partial<Tree> = { ...leftByTar(left, place), follows };
    // The pattern is matched here by the shell, but applies in tar's folder.
    const ofAll: Partial<Tree> = { ...leaving(left), follows, isByPath: true };
    return (place.startsWith("/") ? [""] : said.folders()).map((folder) =>
      folder !== "" && isPattern(place) ? treeAt(folder, ofAll) : treeAt(folder + place, given),
    );
  });
  return moved(trees, isGiven(read, "--remove-files"));
}

const plainFolder = /^~?[\w./@+-]+$/u;

/** The effect of options that precede a place. */
class SaidToTar {
  readonly #read: Operands;
  readonly #texts: readonly string[];
  #next = 0;
  #isSure = true;
  #last = "";
  readonly #told: string[] = [];
  readonly excluded: string[] = [];

  constructor(read: Operands, texts: readonly string[]) {
    this.#read = read;
    this.#texts = texts;
  }

  goTo(place: number): void {
    for (let option = this.#read.given[this.#next]; option !== undefined && option.at < place;) {
      const { name, value, at } = option;
      if (name === "--exclude") this.excluded.push(value);
      if (name === "-C" || name === "--directory") {
        this.#isSure &&= plainFolder.test(value) && !mayTakeNext("tar", this.#texts.slice(0, at));
        this.#last = `${/^[/~]/u.test(value) ? "" : this.#last}${value}/`;
        this.#told.push(`${value}/`);
      }
      option = this.#read.given[(this.#next += 1)];
    }
  }

  /** Each folder is relative to the one before. */
  folders(): string[] {
    return this.#isSure ? [this.#last] : ["", this.#last, ...this.#told];
  }
}

/** Switches may be anywhere. Without names, 7z packs everything here. A star matches every name. */
export function packedBy7z(texts: readonly string[]): Tree[] {
  const end = texts.includes("--") ? texts.indexOf("--") : texts.length;
  const switches = texts.slice(0, end).filter((text) => text.startsWith("-"));
  const [command = "", , ...named] = texts.filter((text, at) => at > end || (at < end && !text.startsWith("-")));
  if (!/^[au]$/iu.test(command)) return [];
  // Without `r`, a pattern applies at the top level. 7z knows no character classes.
  const left = leaving(switches.flatMap((text) => /^-xr!([^/[\\]+)$/iu.exec(text)?.[1] ?? []));
  const isOpen = named.length === 0 || [...switches, ...named].some((text) => /^(?:@|-i)/iu.test(text));
  return moved(
    [...(isOpen ? ["."] : []), ...named].map((place) => treeOf7z(place, left)),
    switches.some((text) => /^-sdel/iu.test(text)),
  );
}

function treeOf7z(place: string, left: Pick<Tree, "enters" | "meets">): Tree {
  const given: Partial<Tree> = { ...left, follows: "all", isByPath: true };
  const sign = place.search(/[*?]/u);
  if (sign < 0) return treeAt(place, given);
  const folder = place.slice(0, place.lastIndexOf("/", sign) + 1);
  const pattern = place.slice(folder.length);
  const isNamed = /[[\\]/u.test(pattern) ? undefined : namedBy(pattern);
  return treeAt(folder === "" ? "." : folder, {
    ...given,
    meets: (name, above) => left.meets(name, above) && (isNamed === undefined || [...above, name].some(isNamed)),
  });
}

/** With one of these options, what is done to a folder is done to its whole content. */
export function changedBelow(options: readonly string[], hasModes = false) {
  return (texts: readonly string[]): Tree[] => {
    const read = divided(texts);
    if (!isGiven(read, ...options)) return [];
    // A mode may look like an option: `-w`.
    const isTold = isGiven(read, "--reference") || read.given.some(({ name }) => /^-[rwxXst]$/u.test(name));
    return (hasModes && !isTold ? read.operands.slice(1) : read.operands).map((place) =>
      treeAt(place, { access: "write" }),
    );
  };
}

export const movedWhole = (texts: readonly string[]): Tree[] => {
  const { sources, targets } = targetOf(dividedOf("cp", texts));
  return moved(copied(sources, targets));
};
