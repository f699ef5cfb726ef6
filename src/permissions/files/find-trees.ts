/** The trees that `find` goes through when it does something with what it finds. */
import { basename } from "node:path";
import { foldCase } from "../../lib/path-pattern.ts";
import { certainWord } from "../shell/text.ts";
import { starPathTest } from "./exclusions.ts";
import { isShowingProgram, nameOrPathTest } from "./shown-words.ts";
import { createNameTest, parseDepth, treeAt, type Tree } from "./tree.ts";
import { writtenWords } from "./written-words.ts";

/** With more actions, anything may be done to everything found. */
export const maxActions = 8;
/** Programs that show nothing of a file's content. */
const nonShowingPrograms = new Set(
  "echo printf ls stat test [ basename dirname realpath readlink file wc du touch mkdir chmod chown chgrp rm rmdir unlink shred truncate true md5sum sha1sum sha256sum cksum".split(
    " ",
  ),
);

/** `goesBelow`: whether these words, given a folder, may affect everything in it. */
export type GoesBelow = (words: readonly string[]) => boolean;

export function treesOfFind(texts: readonly string[], goesBelow: GoesBelow): Tree[] {
  const { actions, ...where } = readFind(texts);
  if (actions.length > maxActions)
    return (["read", "write"] as const).flatMap((access) => treesWithConditions(where, anyFile, access, true));
  return actions.flatMap(({ run, ...before }) => {
    if (run === "delete") return treesWithConditions(where, before, "write");
    return accessToFiles(run).flatMap((access) => treesWithConditions(where, before, access, goesBelow(run)));
  });
}

/** Everything that it hands to other programs, whatever these do. */
export function treesHandedByFind(texts: readonly string[]): Tree[] {
  const { actions, ...where } = readFind(texts);
  return actions.flatMap((before) =>
    treesWithConditions(where, actions.length > maxActions ? anyFile : before, "read"),
  );
}

/** The trees whose names it prints. `isBelow`: with everything in the folders it names. */
export function treesListedByFind(texts: readonly string[], isBelow: boolean): Tree[] {
  const { prints, ...where } = readFind(texts);
  return prints.flatMap((before) => treesWithConditions(where, before, "read", isBelow));
}

/** What these words do to files that are appended to them. */
export function accessToFiles(words: readonly string[]): Tree["access"][] {
  const [program = ""] = words;
  const name = program.slice(program.lastIndexOf("/") + 1);
  const changed = writtenWords({ words: [...words, "x"].map(certainWord), isIdle: false });
  return [
    // Output may be passed on, as that of `tar -cf -`.
    ...(changed.some((text) => text !== "-") ? ["write" as const] : []),
    ...(isShowingProgram(name) || !nonShowingPrograms.has(name) ? ["read" as const] : []),
  ];
}

/** Tests that take the next word. */
const testWithValue =
  /^-(?:i?(?:name|path|wholename|regex|lname)|[acm]?newer|newer..|[acm](?:min|time)|size|user|group|[ug]id|perm|x?type|fstype|inum|links|samefile|used|context|mindepth|regextype|printf|fprint0?|fls)$/u;

interface FindCommand {
  places: readonly string[];
  isFollowing: boolean;
  depth: number;
  actions: ({ run: readonly string[] | "delete" } & FindConditions)[];
  prints: FindConditions[];
}

/** The part of the expression in front of an action. */
interface FindConditions {
  /** The tests that a file has passed. */
  tests: readonly string[];
  pruned: readonly Exclusion[];
}

const anyFile: FindConditions = { tests: [], pruned: [] };

/** What a test with its word excludes. */
interface Exclusion {
  test: string;
  word: string;
  /** Only if it is a folder. */
  isFolder: boolean;
}

/** Parses the expression. Tests after an action do not restrict it, and of alternatives only the action's own counts. */
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
  // Depth first, or with a minimum depth, nothing can be relied on to be pruned.
  let prunes = !texts.some((text) => /^-(?:d|delete|depth|mindepth)$/u.test(text));
  let pruned: readonly Exclusion[] = [];
  const before = (): FindConditions => ({ tests: all.slice(since), pruned });
  for (at = end; at < texts.length; at += 1) {
    const text = texts[at] ?? "";
    if (/^-(?:exec|ok)(?:dir)?$/u.test(text)) {
      const words = texts.slice(at + 1);
      const last = words.findIndex((word, index) => word === ";" || (word === "+" && words[index - 1] === "{}"));
      const run = last < 0 ? words : words.slice(0, last);
      found.actions.push({ run, ...before() });
      at += run.length + 1;
    } else if (text === "-delete") found.actions.push({ run: "delete", ...before() });
    else if (/^-print0?$/u.test(text)) found.prints.push(before());
    else if (text === "-maxdepth") depths.push(parseDepth(texts[(at += 1)]));
    else if (text === "-follow") found.isFollowing = true;
    else if (within === 0 && /^(?:,|-or?)$/u.test(text)) {
      // Files that match another alternative do not get here.
      const more = prunes && text !== "," ? readPruned(all.slice(since)) : undefined;
      prunes = more !== undefined;
      pruned = [...pruned, ...(more ?? [])];
      all.push(text);
      since = all.length;
    } else {
      within += text === "(" ? 1 : text === ")" ? -1 : 0;
      // A bracket that closes nothing is some test's word, and then the nesting of what follows is unknown.
      if (within < 0) within = Number.NaN;
      all.push(text);
      if (testWithValue.test(text)) all.push(texts[(at += 1)] ?? "");
    }
  }
  if (depths.length > 0) found.depth = Math.max(...depths);
  if (found.prints.length === 0) found.prints.push({ tests: all, pruned: [] });
  return found;
}

/** Reads `-path ./a -prune`, `( -name a -o -name b ) -prune`, with `-type d` before or after. Undefined for other tests. */
function readPruned(tests: readonly string[]): Exclusion[] | undefined {
  const [, type, open, inner, close, behind] =
    /^(-type\0d\0)?(\(\0)?([^]*?)(\0\))?(\0-type\0d)?\0-prune$/u.exec(tests.join("\0")) ?? [];
  if (inner === undefined || (open === undefined) !== (close === undefined)) return undefined;
  const parts = inner.split("\0");
  const left: Exclusion[] = [];
  for (let at = 0; at < parts.length; at += 3) {
    const [test = "", word, next = "-o"] = parts.slice(at, at + 3);
    if (word === undefined || !nameOrPathTest.test(test) || !/^-or?$/u.test(next)) return undefined;
    left.push({ test, word, isFolder: (type ?? behind) !== undefined });
  }
  return left;
}

/** Returns a function that tells whether one of these excludes a file. `path` is the path as find writes it. */
function exclusionTest(exclusions: readonly Exclusion[]): (name: string, path: string, isFolder: boolean) => boolean {
  const tests = exclusions.map(({ test, word, isFolder }) => {
    const isMet = findNameTest(test, word);
    // Many people escape its dots as in a regular expression.
    const isPath = /^-(?:path|wholename)$/u.test(test) ? starPathTest(word.replaceAll("\\.", ".")) : undefined;
    return (name: string, path: string, folder: boolean): boolean =>
      (folder || !isFolder) && (isMet?.(name) ?? isPath?.(path) ?? false);
  });
  return (name, path, isFolder) => tests.some((test) => test(name, path, isFolder));
}

function findNameTest(test: string, word: string): ((name: string) => boolean) | undefined {
  if (test === "-name") return createNameTest(word);
  const isNamed = test === "-iname" ? createNameTest(foldCase(word)) : undefined;
  return isNamed && ((name) => isNamed(foldCase(name)));
}

/** `isBelow`: a folder is affected with all its content, and links that are found with their targets. */
function treesWithConditions(
  { places, isFollowing, depth }: Pick<FindCommand, "places" | "isFollowing" | "depth">,
  { tests, pruned }: FindConditions,
  access: Tree["access"],
  isBelow = false,
): Tree[] {
  const alternatives = readAlternatives(tests);
  const nameTests = alternatives.map(alternativeNameTest);
  const isNamed = nameTests.includes(undefined) ? undefined : (name: string) => nameTests.some((test) => test?.(name));
  const isFile = alternatives.every((each) => testValue(each.tests, "-type") === "f");
  const isDeep = isBelow && !isFile;
  const left = alternatives.map((each) => exclusionTest(each.exclusions));
  const isPruned = exclusionTest(pruned);
  return places.map((place) => {
    const isPlain = !place.startsWith("~") && !place.includes("//");
    const pathOf = (name: string, above: readonly string[]): string =>
      [place.replace(/\/$/u, ""), ...above, name].join("/");
    // If a folder has such a name, all of its content is affected.
    const isFound: Tree["reaches"] = (name, above) =>
      isNamed === undefined || [basename(place), ...above, name].slice(0, depth + 1).some(isNamed);
    const isMet: Tree["reaches"] = (name, above) => {
      const path = isPlain ? pathOf(name, above) : "";
      return isFound(name, above) && !isPruned(name, path, false) && !left.every((test) => test(name, path, false));
    };
    const goesOn: Tree["enters"] = (name, above, isLink) =>
      (above.length + 1 < depth && (isFollowing || !isLink)) || isFound(name, above);
    return treeAt(place, {
      access,
      isByPath: isNamed !== undefined || pruned.length > 0 || alternatives.some((each) => each.exclusions.length > 0),
      follows: isFollowing || isDeep ? "all" : isFile ? "none" : "files",
      ...(isDeep
        ? { reaches: isFound, enters: goesOn }
        : {
            reaches: isMet,
            enters: (name, above) => !isPruned(name, isPlain ? pathOf(name, above) : "", true),
            depth,
          }),
    });
  });
}

interface Alternative {
  tests: string[];
  /** What the alternative certainly excludes. */
  exclusions: Exclusion[];
}

/** The alternatives, each with the tests it certainly has; a single one without tests if that is unclear. */
function readAlternatives(tests: readonly string[]): Alternative[] {
  const alternatives: Alternative[] = [{ tests: [], exclusions: [] }];
  for (let at = 0; at < tests.length; at += 1) {
    const [text = "", test = "", word = ""] = tests.slice(at, at + 3);
    if (isNegation(text, test)) {
      alternatives.at(-1)?.exclusions.push({ test, word, isFolder: false });
      at += 2;
    } else if (/^(?:,|!|-not)$/u.test(text)) return [{ tests: [], exclusions: [] }];
    else if (/^-or?$/u.test(text)) alternatives.push({ tests: [], exclusions: [] });
    else alternatives.at(-1)?.tests.push(text);
  }
  return alternatives;
}

/** Returns a test for the names it looks for; undefined if it may find others. */
function alternativeNameTest({ tests }: Alternative): ((name: string) => boolean) | undefined {
  const test = ["-name", "-iname"].find((each) => tests.includes(each)) ?? "";
  return findNameTest(test, testValue(tests, test) ?? "");
}

/** Whether the words negate a test with a word. */
function isNegation(text: string | undefined, next: string | undefined): boolean {
  return (text === "!" || text === "-not") && testWithValue.test(next ?? "");
}

/** The word of the first test with this name. */
function testValue(tests: readonly string[], name: string): string | undefined {
  const at = tests.indexOf(name);
  return at < 0 ? undefined : tests[at + 1];
}
