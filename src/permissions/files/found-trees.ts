/** The folders that `find` goes through, where it does something with what it finds there. */
import { basename } from "node:path";
import { certainWord } from "../shell/text.ts";
import { isShower } from "./shown-words.ts";
import { namedBy, treeAt, type Tree } from "./tree.ts";
import { writtenWords } from "./written-words.ts";

/** More of them may do anything to all that is found. */
export const maxActions = 8;
/** They show nothing of what is in a file. */
const showsNames = new Set(
  "echo printf ls stat test [ basename dirname realpath readlink file wc du touch mkdir chmod chown chgrp rm rmdir unlink shred truncate true md5sum sha1sum sha256sum cksum".split(
    " ",
  ),
);

/** `goesBelow`: whether these words, given a folder, may do what they do to all that lies in it. */
export type GoesBelow = (words: readonly string[]) => boolean;

export function foundBy(texts: readonly string[], goesBelow: GoesBelow): Tree[] {
  const { actions, ...where } = readFind(texts);
  if (actions.length > maxActions)
    return (["read", "write"] as const).flatMap((access) => treesOf(where, [], access, true));
  return actions.flatMap(({ run, tests }) => {
    if (run === "delete") return treesOf(where, tests, "write");
    return doneBy(run).flatMap((access) => treesOf(where, tests, access, goesBelow(run)));
  });
}

/** What it puts out the names of. `isBelow`: with all that lies in the folders that it names. */
export function listedByFind(texts: readonly string[], isBelow: boolean): Tree[] {
  const { prints, ...where } = readFind(texts);
  return prints.flatMap((tests) => treesOf(where, tests, "read", isBelow));
}

/** What these words do to the files that stand behind them. */
export function doneBy(words: readonly string[]): Tree["access"][] {
  const [program = ""] = words;
  const name = program.slice(program.lastIndexOf("/") + 1);
  const changed = writtenWords({ words: [...words, "x"].map(certainWord), isIdle: false });
  return [
    ...(changed.length > 0 ? ["write" as const] : []),
    ...(isShower(name) || !showsNames.has(name) ? ["read" as const] : []),
  ];
}

/** Tests that take the next word. */
const withWord =
  /^-(?:i?(?:name|path|wholename|regex|lname)|[acm]?newer|newer..|[acm](?:min|time)|size|user|group|[ug]id|perm|x?type|fstype|inum|links|samefile|used|context|mindepth|regextype|printf|fprint0?|fls)$/u;

interface FindCommand {
  places: readonly string[];
  isFollowing: boolean;
  depth: number;
  /** With the tests that what it finds has passed before. */
  actions: { run: readonly string[] | "delete"; tests: readonly string[] }[];
  prints: (readonly string[])[];
}

/** What stands behind an action says nothing of what it is done to, and of alternatives only the one in which it stands. */
function readFind(texts: readonly string[]): FindCommand {
  let at = 0;
  while (/^-(?:[HLP]|O\d|D)$/u.test(texts[at] ?? "")) at += texts[at] === "-D" ? 2 : 1;
  const begin = texts.findIndex((text, index) => index >= at && /^[-(!,)]/u.test(text));
  const end = begin < 0 ? texts.length : begin;
  const places = texts.slice(at, end);
  const found: FindCommand = {
    places: places.length === 0 ? ["."] : places,
    isFollowing: texts.slice(0, at).includes("-L"),
    depth: Number.POSITIVE_INFINITY,
    actions: [],
    prints: [],
  };
  const depths: number[] = [];
  const all: string[] = [];
  let since = 0;
  let within = 0;
  for (at = end; at < texts.length; at += 1) {
    const text = texts[at] ?? "";
    if (/^-(?:exec|ok)(?:dir)?$/u.test(text)) {
      const words = texts.slice(at + 1);
      const last = words.findIndex((word, index) => word === ";" || (word === "+" && words[index - 1] === "{}"));
      const run = last < 0 ? words : words.slice(0, last);
      found.actions.push({ run, tests: all.slice(since) });
      at += run.length + 1;
    } else if (text === "-delete") found.actions.push({ run: "delete", tests: all.slice(since) });
    else if (/^-print0?$/u.test(text)) found.prints.push(all.slice(since));
    else if (text === "-maxdepth") depths.push(depthOf(texts[(at += 1)]));
    else if (text === "-follow") found.isFollowing = true;
    else if (within === 0 && /^(?:,|-or?)$/u.test(text)) {
      all.push(text);
      since = all.length;
    } else {
      within += text === "(" ? 1 : text === ")" ? -1 : 0;
      // One that closes nothing is some test's word, and how deep the next ones are is not known.
      if (within < 0) within = Number.NaN;
      all.push(text);
      if (withWord.test(text)) all.push(texts[(at += 1)] ?? "");
    }
  }
  if (depths.length > 0) found.depth = Math.max(...depths);
  if (found.prints.length === 0) found.prints.push(all);
  return found;
}

function depthOf(text = ""): number {
  return /^\d+$/u.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
}

/** `isBelow`: what is done to a folder is done to all in it, and where a link leads that it finds. */
function treesOf(
  { places, isFollowing, depth }: Pick<FindCommand, "places" | "isFollowing" | "depth">,
  tests: readonly string[],
  access: Tree["access"],
  isBelow = false,
): Tree[] {
  const alternatives = alternativesOf(tests);
  const isNamed = namesOf(alternatives);
  const isFile = alternatives.every((each) => wordOf(each, "-type") === "f");
  const isDeep = isBelow && !isFile;
  return places.map((place) => {
    // Where a folder has such a name, what is done to it is done to all in it.
    const isFound: Tree["meets"] = (name, above) =>
      isNamed === undefined || [basename(place), ...above, name].slice(0, depth + 1).some(isNamed);
    const goesOn: Tree["enters"] = (name, above, isLink) =>
      (above.length + 1 < depth && (isFollowing || !isLink)) || isFound(name, above);
    return treeAt(place, {
      access,
      meets: isFound,
      isByPath: isNamed !== undefined,
      follows: isFollowing || isDeep ? "all" : isFile ? "none" : "files",
      ...(isDeep ? { enters: goesOn } : { depth }),
    });
  });
}

/** Each with the tests that it surely has; none in them where that cannot be told. */
function alternativesOf(tests: readonly string[]): string[][] {
  const kept = tests.filter(
    (text, index) =>
      !isNegation(text, tests[index + 1]) &&
      !isNegation(tests[index - 1], text) &&
      !isNegation(tests[index - 2], tests[index - 1]),
  );
  if (kept.some((text) => /^(?:,|!|-not)$/u.test(text))) return [[]];
  const alternatives: string[][] = [[]];
  for (const text of kept)
    if (text === "-o" || text === "-or") alternatives.push([]);
    else alternatives.at(-1)?.push(text);
  return alternatives;
}

/** The names that it looks for; undefined where it may find others, as each of the alternatives has to say one. */
function namesOf(alternatives: readonly string[][]): ((name: string) => boolean) | undefined {
  const patterns = alternatives.map((each) => wordOf(each, "-name"));
  const named = patterns.map((pattern) => (pattern === undefined ? undefined : namedBy(pattern)));
  return named.includes(undefined) ? undefined : (name) => named.some((test) => test?.(name));
}

/** Of one test that takes a word. */
function isNegation(text: string | undefined, next: string | undefined): boolean {
  return (text === "!" || text === "-not") && withWord.test(next ?? "");
}

/** The word of the first test of that name. */
function wordOf(tests: readonly string[], name: string): string | undefined {
  const at = tests.indexOf(name);
  return at < 0 ? undefined : tests[at + 1];
}
