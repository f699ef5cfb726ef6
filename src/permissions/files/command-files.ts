/** The files of a command, for guarding rules: what its words may name once the shell has read them, and what it reaches unnamed. */
import { join, resolve } from "node:path";
import type { CommandFacts } from "../rules/command-rules.ts";
import { branchLookup } from "./branch-words.ts";
import { lineOf, type Line } from "./command-line.ts";
import { maxMentions, tooMany } from "./critical-remove.ts";
import { deepTrees } from "./deep-words.ts";
import { filesFound } from "./found-files.ts";
import { goneInto } from "./gone-into.ts";
import { movesOwnFolder } from "./moved-folder.ts";
import { anythingBelow } from "./written-paths.ts";
import { repositoryTop } from "./git-trees.ts";
import { repositoryAt } from "../git/git-tracked.ts";
import { fromHome, namesIn } from "./named-words.ts";
import { newLinks, throughLinks, type NewLinks } from "./new-links.ts";
import { hasControls, isFolder, isThere, pathForms, placeIn, type PathReader } from "../paths/path-forms.ts";
import type { PathSubject } from "../paths/path-subject.ts";
import { pipedNames } from "./piped-names.ts";
import { hasHole, inputHole } from "../shell/fill.ts";
import type { ShellLimits } from "../shell/shell-limits.ts";
import type { ShellScript } from "../shell/step.ts";
import { certainWord, joined, textsOf } from "../shell/text.ts";
import { programOf } from "../shell/unwrap.ts";
import { shownWords } from "./shown-words.ts";
import { spokenIn } from "./spoken-names.ts";
import { isSaid, type WordUse } from "./spoken-words.ts";
import { isIgnoring, withoutSkips, type Tree } from "./tree.ts";
import type { PlacedTree, Unnamed, Untold } from "./unnamed-files.ts";

export interface CallPlaces {
  home: string;
  reader: PathReader;
  /** Without it, a command is only known by its words. */
  parse?: ((command: string) => ShellScript) | undefined;
  limits?: ShellLimits | undefined;
}

export interface CommandFiles {
  mentions: PathSubject[];
  unnamed: () => Unnamed;
}

/** How many of the files that globs match are resolved: as many as a single glob may match. */
const maxFollowed = 5_000;
/** Shell settings that change what globs match. */
const patternSettings = /\b(?:dotglob|extglob|globstar|nocaseglob|GLOBIGNORE)\b/u;

export function filesOf(facts: CommandFacts, cwd: string, places: CallPlaces, script?: ShellScript): CommandFiles {
  const { reading, command } = facts;
  const piped = pipedNames(script);
  const more = (piped?.commands ?? []).map((texts) => texts.map(certainWord));
  const line = lineOf(reading, command, cwd, places.home, more);
  const { presumed: maybe } = line;
  if ((line.read.size + line.written.size + maybe.read.size + maybe.written.size) * line.starts.length > maxMentions)
    throw new Error(tooMany);
  const links = newLinks(line);
  const gone = goneInto(line.commands, line.given);
  const given = { ...places, globs: line.globs, uses: line.uses, gone, links };
  const bound = { isOver: false };
  const told = line.starts.flatMap((start) => {
    const here = { ...given, isBranch: branchLookup(start, places.reader) };
    return [
      ...subjectsOf([...line.read], "read", start, here, bound),
      ...subjectsOf([...line.written], "write", start, here, bound),
    ];
  });
  const presumed = line.starts.flatMap((start) => [
    ...subjectsOf([...maybe.read], "read", start, { ...given, uses: noUses }, bound),
    ...subjectsOf([...maybe.written], "write", start, given, bound),
  ]);
  const named = [...told, ...presumed.map((subject) => ({ ...subject, isPresumed: true }))];
  const opaque = reading.opaque ?? (reading.understood ? undefined : "it cannot be followed to its end");
  const changed = patternSettings.test(command) ? "it changes what patterns find" : undefined;
  const moves = movesOwnFolder(line, cwd, script, places.reader) ? "it moves the folder it runs in" : changed;
  const unfollowed = links.isOver ? "it makes links that cannot all be followed" : moves;
  const doubt = bound.isOver ? "it names more files than can be looked at" : unfollowed;
  let unnamed: Unnamed | undefined;
  const unnamedOf = (): Unnamed => {
    const trees = treesOf(line, places, script, piped?.trees ?? []);
    return {
      untold: untoldOf(line, trees, places.home, piped !== undefined),
      trees: trees.flatMap((each) => placed(each, line, links, places)),
      ...(opaque === undefined ? {} : { opaque }),
      ...(doubt === undefined ? {} : { doubt }),
    };
  };
  return {
    mentions: [...named, ...throughLinks(named, links, places.reader)],
    unnamed: () => (unnamed ??= unnamedOf()),
  };
}

/** Paths to be read or written that contain a hole. */
function untoldOf(line: Line, trees: readonly FoundTree[], home: string, isPiped: boolean): Untold[] {
  const found = new Map<string, Untold>();
  const add = (text: string, access: Untold["access"], shown: string): void => {
    if (isPiped && text.replace(anythingBelow, "") === inputHole) return;
    for (const start of line.starts) {
      const path = resolve(placeIn(start, fromHome(text, home)));
      if (hasHole(path)) found.set(`${access} ${path}`, { access, path, shown });
    }
  };
  for (const { words, isIdle } of line.commands) {
    if (isIdle) continue;
    const program = programOf(words[0]) ?? "";
    const shown = joined(words);
    for (const text of shownWords(program, textsOf(words.slice(1)))) add(text, "read", shown);
  }
  for (const { tree, shown } of trees) if (tree.isCommon !== true) add(tree.place, tree.access, shown);
  for (const text of line.written) add(text, "write", text);
  for (const text of line.presumed.written) add(text, "write", text);
  for (const text of line.redirected.read) add(text, "read", text);
  return [...found.values()];
}

interface FoundTree {
  tree: Tree;
  shown: string;
  /** The index of its command. */
  at: number;
}

function treesOf(
  line: Line,
  { reader }: CallPlaces,
  script: ShellScript | undefined,
  piped: readonly Tree[],
): FoundTree[] {
  const isPath = (text: string): boolean =>
    !hasHole(text) && line.starts.some((start) => isThere(placeIn(start, text), reader));
  const searches =
    script?.problem === undefined
      ? (script?.steps.filter(({ words }) => words.some(({ text }) => text === "rg")) ?? [])
      : [];
  const isFed = searches.length > 0 && searches.every((step) => step.isFed);
  const isIgnoredAnew = [...line.written, ...line.presumed.written].some(isIgnoring);
  const all = line.commands.flatMap(({ words, isIdle }, at) => {
    const program = programOf(words[0]);
    if (isIdle || program === null) return [];
    const texts = textsOf(words.slice(1));
    const shown = joined(words);
    const trees = deepTrees(program, texts, isFed, isPath);
    return trees.map((tree) => ({ tree: isIgnoredAnew ? withoutSkips(tree) : tree, shown, at }));
  });
  return [...all, ...piped.map((tree) => ({ tree, shown: "xargs", at: 0 }))];
}

function placed({ tree, shown, at }: FoundTree, line: Line, links: NewLinks, places: CallPlaces): PlacedTree[] {
  const { from, to, starts: sure } = line.surely;
  const starts = at >= from && at < to ? sure : line.starts;
  return starts.flatMap((start) =>
    placesOf(tree, start, line, links, places).map((place) => ({ tree, shown, ...place })),
  );
}

function placesOf(
  tree: Tree,
  start: string,
  line: Line,
  links: NewLinks,
  { home, reader }: CallPlaces,
): { path: string; onto?: string }[] {
  const at = (text: string): string => resolve(placeIn(start, fromHome(text, home)));
  const foundAt = (text: string): string[] =>
    line.globs.has(text) ? (filesFound(at(text), reader) ?? []) : [at(text)];
  if (tree.place === repositoryTop) return [{ path: repositoryAt(start)?.top ?? start }];
  const path = at(tree.place);
  if (hasHole(path) || hasControls(path)) return [];
  const found = foundAt(tree.place);
  const subjects = found.map((each): PathSubject => {
    const forms = { forms: [each], isCertain: true };
    return { kind: "path", access: tree.access, path: each, forms };
  });
  const led = throughLinks(subjects, links, reader, true);
  const all = [...found, ...led.map((link) => link.path)];
  const { onto, called, isMade } = tree;
  if (onto === undefined || hasHole(onto)) return all.map((each) => ({ path: each }));
  if (called === undefined) return foundAt(onto).flatMap((target) => all.map((each) => ({ path: each, onto: target })));
  const madeFirst = line.commands
    .filter(({ words }) => programOf(words[0]) === "mkdir")
    .flatMap(({ words }) => textsOf(words.slice(1)).map((text) => `${at(text)}/`));
  // Only an existing folder receives a copy under its own name.
  const targets = foundAt(onto).filter(
    (target) =>
      isMade === true || isFolder(target, reader) || madeFirst.some((folder) => folder.startsWith(`${target}/`)),
  );
  // Files that a glob matches keep their own names.
  const length = join("/", called).split("/").length - 1;
  const nameOf = (each: string): string =>
    line.globs.has(tree.place) ? each.split("/").slice(-length).join("/") : called;
  return targets.flatMap((target) => all.map((each) => ({ path: each, onto: join(target, nameOf(each)) })));
}

/** A pattern that names no more than `.` does. */
const isAll = /(?:^|\/)\*+\/?$/u;
const wildcard = /[*?[]/u;
/** Not just a name. */
const isPlace = /\/|^\.{1,2}$/u;

const noUses: ReadonlyMap<string, WordUse> = new Map();

interface GivenWords extends CallPlaces {
  globs: ReadonlySet<string>;
  uses: ReadonlyMap<string, WordUse>;
  gone: ReturnType<typeof goneInto>;
  links: NewLinks;
  /** Whether git takes a word as a branch because it knows no such file. */
  isBranch?: (name: string) => boolean;
}

function subjectsOf(
  words: readonly string[],
  access: "read" | "write",
  cwd: string,
  { home, reader, globs, uses, gone, links, isBranch }: GivenWords,
  bound: { isOver: boolean },
): PathSubject[] {
  let left = maxFollowed;
  const at = (name: string): string => placeIn(cwd, fromHome(name, home));
  const spokenHere = spokenIn(words, uses, cwd, home, reader);
  return words.flatMap((word) => {
    const bare = word.replace(anythingBelow, "");
    const isReference = uses.get(bare) === "branch" && isBranch?.(bare) === true;
    const use = access === "write" ? "file" : (uses.get(word) ?? "file");
    const { sure, maybe } = namesIn(word);
    const isName = (name: string): boolean => /^[^-]/u.test(name) && name.length < 1024 && !hasControls(name);
    const isFile = (name: string): boolean => isName(name) && (name.includes("/") || isThere(at(name), reader));
    const names = [...sure.filter(isName), ...(access === "read" ? maybe.filter(isFile) : [])];
    const spoken = new Set(names.filter((name) => isReference || spokenHere.isSpoken(name, use)).map(at));
    const paths = names.map(at);
    const patterns = globs.has(word) && use !== "text" ? paths.map((path) => filesFound(path, reader)) : [];
    const isMeant = (path: string): boolean => use !== "listed" || isFolder(path, reader);
    const there = access === "read" ? spokenHere.found(word, [...sure, ...maybe].filter(isName), use) : [];
    bound.isOver ||= patterns.includes(undefined) || spokenHere.isOver();
    const found = [...new Set([...there, ...patterns.flatMap((files) => files ?? []).filter(isMeant)])];
    const followed = paths.length + Math.max(left, 0);
    left -= found.length;
    bound.isOver ||= left < 0;
    const into = access === "read" && !isSaid(use) ? gone.get(word) : undefined;
    const goneThrough = paths.flatMap((path, index) => {
      const name = names[index] ?? "";
      if (into === undefined || (into === "path" && !isPlace.test(name))) return [];
      return [path, ...(isAll.test(name) ? [] : (patterns[index] ?? (wildcard.test(word) ? there : [])))];
    });
    // The target of a new link may be a folder.
    const isMade = (path: string): boolean => links.made.some((link) => link.path === resolve(path));
    const whole = new Set(goneThrough.filter((path) => isFolder(path, reader) || isMade(path)));
    return [...paths, ...found].map((given, index): PathSubject => {
      const path = resolve(given);
      const forms = index < followed ? pathForms(given, reader) : { forms: [path], isCertain: true };
      return {
        kind: "path",
        access,
        path,
        forms,
        ...(spoken.has(given) ? { isSpoken: true } : {}),
        ...(whole.has(given) ? { isWhole: true } : {}),
      };
    });
  });
}
