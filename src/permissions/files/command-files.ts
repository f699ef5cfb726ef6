/** The files of a command, for guarding rules: what its words may name once the shell has read them, and what it reaches unnamed. */
import { join, resolve } from "node:path";
import type { CommandFacts } from "../rules/command-rules.ts";
import { createBranchTest } from "./branch-words.ts";
import { buildLine, type Line } from "./command-line.ts";
import { namesInCode } from "./code-words.ts";
import { maxMentions, tooMany } from "./critical-remove.ts";
import { treesOfCommand } from "./command-trees.ts";
import { filesMatching } from "./found-files.ts";
import { foldersEntered } from "./folders-entered.ts";
import { movesOwnFolder } from "./moved-folder.ts";
import { anythingBelow } from "./written-paths.ts";
import { repositoryTop } from "./git-trees.ts";
import { repositoryAt } from "../git/git-tracked.ts";
import { namesInWord, placeOfName } from "./named-words.ts";
import { findNewLinks, throughLinks, type NewLinks } from "./new-links.ts";
import { hasControlCharacters, isFolder, isThere, pathForms, placeIn, type PathReader } from "../paths/path-forms.ts";
import type { PathSubject } from "../paths/path-subject.ts";
import { pipedNames } from "./piped-names.ts";
import { hasHole, inputHole } from "../shell/fill.ts";
import type { ShellLimits } from "../shell/shell-limits.ts";
import type { ShellScript } from "../shell/step.ts";
import { certainWord, joinTexts, textsOf } from "../shell/text.ts";
import { programName } from "../shell/unwrap.ts";
import { shownWords } from "./shown-words.ts";
import { examineWords } from "./word-files.ts";
import { isNeverFolder, type WordUse } from "./word-uses.ts";
import { isIgnoreFile, withoutSkips, type Tree } from "./tree.ts";
import type { PlacedTree, UnnamedFiles, UnknownPath } from "./unnamed-files.ts";

export interface CallPlaces {
  home: string;
  reader: PathReader;
  /** Without it, a command is only known by its words. */
  parse?: ((command: string) => ShellScript) | undefined;
  limits?: ShellLimits | undefined;
}

export interface CommandFiles {
  mentions: PathSubject[];
  unnamed: () => UnnamedFiles;
}

/** How many of the files that globs match are resolved: as many as a single glob may match. */
const maxFollowed = 5_000;
/** Shell settings that change what globs match. */
const globSettings = /\b(?:dotglob|extglob|globstar|nocaseglob|GLOBIGNORE)\b/u;

export function readCommandFiles(
  facts: CommandFacts,
  cwd: string,
  places: CallPlaces,
  script?: ShellScript,
): CommandFiles {
  const { reading, command } = facts;
  const piped = pipedNames(script);
  const more = (piped?.commands ?? []).map((texts) => texts.map(certainWord));
  const line = buildLine(reading, command, cwd, places, more);
  const { presumed: maybe } = line;
  if ((line.read.size + line.written.size + maybe.read.size + maybe.written.size) * line.starts.length > maxMentions)
    throw new Error(tooMany);
  const links = findNewLinks(line);
  const enteredFolders = foldersEntered(line.commands, line.variableWords);
  const context = { ...places, globs: line.globs, uses: line.uses, enteredFolders, links };
  const fileLimit = { isOver: false };
  const certainSubjects = line.starts.flatMap((start) => {
    const here = { ...context, isBranch: createBranchTest(start, places.reader) };
    return [
      ...pathSubjects([...line.read], "read", start, here, fileLimit),
      ...pathSubjects([...line.written], "write", start, here, fileLimit),
      ...pathSubjects(namesInCode(line.code, start, places), "write", start, here, fileLimit),
    ];
  });
  const presumed = line.starts.flatMap((start) => [
    ...pathSubjects([...maybe.read], "read", start, { ...context, uses: noUses }, fileLimit),
    ...pathSubjects([...maybe.written], "write", start, context, fileLimit),
  ]);
  const namedSubjects = [...certainSubjects, ...presumed.map((subject) => ({ ...subject, isPresumed: true }))];
  const opaque = reading.opaque ?? (reading.understood ? undefined : "it cannot be followed to its end");
  const changed = globSettings.test(command) ? "it changes what patterns find" : undefined;
  const moves = movesOwnFolder(line, cwd, script, places.reader) ? "it moves the folder it runs in" : changed;
  const unfollowed = links.isOverLimit ? "it makes links that cannot all be followed" : moves;
  const doubt = fileLimit.isOver ? "it names more files than can be looked at" : unfollowed;
  let unnamed: UnnamedFiles | undefined;
  const unnamedOf = (): UnnamedFiles => {
    const trees = lineTrees(line, places, script, piped?.trees ?? []);
    return {
      unknownPaths: unknownPaths(line, trees, places.home, piped !== undefined),
      trees: trees.flatMap((each) => placeTree(each, line, links, places)),
      ...(opaque === undefined ? {} : { opaque }),
      ...(doubt === undefined ? {} : { doubt }),
    };
  };
  return {
    mentions: [...namedSubjects, ...throughLinks(namedSubjects, links, places.reader)],
    unnamed: () => (unnamed ??= unnamedOf()),
  };
}

/** Paths to be read or written that contain a hole. */
function unknownPaths(line: Line, trees: readonly CommandTree[], home: string, isPiped: boolean): UnknownPath[] {
  const found = new Map<string, UnknownPath>();
  const add = (text: string, access: UnknownPath["access"], shown: string): void => {
    if (isPiped && text.replace(anythingBelow, "") === inputHole) return;
    for (const start of line.starts) {
      const path = resolve(placeOfName(start, text, home));
      if (hasHole(path)) found.set(`${access} ${path}`, { access, path, shown });
    }
  };
  for (const { words, isIdle } of line.commands) {
    if (isIdle) continue;
    const program = programName(words[0]) ?? "";
    const shown = joinTexts(words);
    for (const text of shownWords(program, textsOf(words.slice(1)))) add(text, "read", shown);
  }
  for (const { tree, shown } of trees) if (tree.isCommon !== true) add(tree.place, tree.access, shown);
  for (const text of line.written) add(text, "write", text);
  for (const text of line.presumed.written) add(text, "write", text);
  for (const text of line.redirected.read) add(text, "read", text);
  return [...found.values()];
}

interface CommandTree {
  tree: Tree;
  shown: string;
  /** The index of its command. */
  at: number;
}

function lineTrees(
  line: Line,
  { reader }: CallPlaces,
  script: ShellScript | undefined,
  piped: readonly Tree[],
): CommandTree[] {
  const isPath = (text: string): boolean =>
    !hasHole(text) && line.starts.some((start) => isThere(placeIn(start, text), reader));
  const searches =
    script?.problem === undefined
      ? (script?.steps.filter(({ words }) => words.some(({ text }) => text === "rg")) ?? [])
      : [];
  const isFed = searches.length > 0 && searches.every((step) => step.isFed);
  const changesIgnoreFiles = [...line.written, ...line.presumed.written].some(isIgnoreFile);
  const all = line.commands.flatMap(({ words, isIdle }, at) => {
    const program = programName(words[0]);
    if (isIdle || program === null) return [];
    const texts = textsOf(words.slice(1));
    const shown = joinTexts(words);
    const trees = treesOfCommand(program, texts, isFed, isPath);
    return trees.map((tree) => ({ tree: changesIgnoreFiles ? withoutSkips(tree) : tree, shown, at }));
  });
  return [...all, ...piped.map((tree) => ({ tree, shown: "xargs", at: 0 }))];
}

function placeTree({ tree, shown, at }: CommandTree, line: Line, links: NewLinks, places: CallPlaces): PlacedTree[] {
  const { from, to, starts: sure } = line.certainRange;
  const starts = at >= from && at < to ? sure : line.starts;
  return starts.flatMap((start) =>
    treePlaces(tree, start, line, links, places).map((place) => ({ tree, shown, ...place })),
  );
}

function treePlaces(
  tree: Tree,
  start: string,
  line: Line,
  links: NewLinks,
  { home, reader }: CallPlaces,
): { path: string; destination?: string }[] {
  const at = (text: string): string => resolve(placeOfName(start, text, home));
  const foundAt = (text: string): string[] =>
    line.globs.has(text) ? (filesMatching(at(text), reader) ?? []) : [at(text)];
  if (tree.place === repositoryTop) return [{ path: repositoryAt(start)?.top ?? start }];
  const path = at(tree.place);
  if (hasHole(path) || hasControlCharacters(path)) return [];
  const found = foundAt(tree.place);
  const subjects = found.map((each): PathSubject => {
    const forms = { forms: [each], isCertain: true };
    return { kind: "path", access: tree.access, path: each, forms };
  });
  const linkedSubjects = throughLinks(subjects, links, reader, true);
  const all = [...found, ...linkedSubjects.map((link) => link.path)];
  const { destination, copyName, isMade } = tree;
  if (destination === undefined || hasHole(destination)) return all.map((each) => ({ path: each }));
  if (copyName === undefined)
    return foundAt(destination).flatMap((target) => all.map((each) => ({ path: each, destination: target })));
  const madeFirst = line.commands
    .filter(({ words }) => programName(words[0]) === "mkdir")
    .flatMap(({ words }) => textsOf(words.slice(1)).map((text) => `${at(text)}/`));
  // Only an existing folder receives a copy under its own name.
  const targets = foundAt(destination).filter(
    (target) =>
      isMade === true || isFolder(target, reader) || madeFirst.some((folder) => folder.startsWith(`${target}/`)),
  );
  // Files that a glob matches keep their own names.
  const length = join("/", copyName).split("/").length - 1;
  const nameOf = (each: string): string =>
    line.globs.has(tree.place) ? each.split("/").slice(-length).join("/") : copyName;
  return targets.flatMap((target) => all.map((each) => ({ path: each, destination: join(target, nameOf(each)) })));
}

/** A pattern that names no more than `.` does. */
const wildcardOnly = /(?:^|\/)\*+\/?$/u;
const wildcard = /[*?[]/u;
/** Not just a name. */
const pathLike = /\/|^\.{1,2}$/u;

const noUses: ReadonlyMap<string, WordUse> = new Map();

interface SubjectContext extends CallPlaces {
  globs: ReadonlySet<string>;
  uses: ReadonlyMap<string, WordUse>;
  enteredFolders: ReturnType<typeof foldersEntered>;
  links: NewLinks;
  /** Whether git takes a word as a branch because it knows no such file. */
  isBranch?: (name: string) => boolean;
}

function pathSubjects(
  words: readonly string[],
  access: "read" | "write",
  cwd: string,
  { home, reader, globs, uses, enteredFolders, links, isBranch }: SubjectContext,
  fileLimit: { isOver: boolean },
): PathSubject[] {
  let left = maxFollowed;
  const at = (name: string): string => placeOfName(cwd, name, home);
  const isBelowLink = (path: string): boolean => links.links.some((link) => resolve(path).startsWith(`${link.path}/`));
  const wordFiles = examineWords(words, uses, cwd, home, reader, isBelowLink);
  return words.flatMap((word) => {
    const bare = word.replace(anythingBelow, "");
    const isReference = uses.get(bare) === "branch" && isBranch?.(bare) === true;
    const use = access === "write" ? "file" : (uses.get(word) ?? "file");
    const { sure, maybe } = namesInWord(word);
    const isName = (name: string): boolean => /^[^-]/u.test(name) && name.length < 1024 && !hasControlCharacters(name);
    const isFile = (name: string): boolean => isName(name) && (name.includes("/") || isThere(at(name), reader));
    const names = [...sure.filter(isName), ...(access === "read" ? maybe.filter(isFile) : [])];
    const nonFilePaths = new Set(names.filter((name) => isReference || wordFiles.isNonFile(name, use)).map(at));
    const paths = names.map(at);
    const patterns = globs.has(word) && use !== "text" ? paths.map((path) => filesMatching(path, reader)) : [];
    const mayBeUsed = (path: string): boolean => use !== "listed" || isFolder(path, reader);
    const there = access === "read" ? wordFiles.findFiles(word, [...sure, ...maybe].filter(isName), use) : [];
    // What code names is used, although no word is exactly this.
    for (const path of there) if (isBelowLink(path)) links.otherPaths.read.add(resolve(path));
    fileLimit.isOver ||= patterns.includes(undefined) || wordFiles.isOverLimit();
    const found = [...new Set([...there, ...patterns.flatMap((files) => files ?? []).filter(mayBeUsed)])];
    const followed = paths.length + Math.max(left, 0);
    left -= found.length;
    fileLimit.isOver ||= left < 0;
    const into = access === "read" && !isNeverFolder(use) ? enteredFolders.get(word) : undefined;
    const enteredPaths = paths.flatMap((path, index) => {
      const name = names[index] ?? "";
      if (into === undefined || (into === "path" && !pathLike.test(name))) return [];
      return [path, ...(wildcardOnly.test(name) ? [] : (patterns[index] ?? (wildcard.test(word) ? there : [])))];
    });
    // The target of a new link may be a folder.
    const isMade = (path: string): boolean => links.links.some((link) => link.path === resolve(path));
    const whole = new Set(enteredPaths.filter((path) => isFolder(path, reader) || isMade(path)));
    return [...paths, ...found].map((place, index): PathSubject => {
      const path = resolve(place);
      const forms = index < followed ? pathForms(place, reader) : { forms: [path], isCertain: true };
      return {
        kind: "path",
        access,
        path,
        forms,
        ...(nonFilePaths.has(place) ? { isNonFile: true } : {}),
        ...(whole.has(place) ? { isWhole: true } : {}),
      };
    });
  });
}
