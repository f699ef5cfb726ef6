/** Which files the words of a line name: words that programs take as files, and existing files that other words may mean. */
import { basename, dirname, resolve } from "node:path";
import { entriesIn, isFolder, isThere, type PathReader } from "../paths/path-forms.ts";
import { filesMatching } from "./found-files.ts";
import { hasHole } from "../shell/fill.ts";
import { isExclusion, namesInWord, placeOfName } from "./named-words.ts";
import { isNeverFolder, type WordUse } from "./word-uses.ts";

const maxPieces = 10_000;
/** The number of lookups of names in folders that the line names. */
const maxLookups = 20_000;
const maxPatterns = 50;
const maxName = 1024;
/** Texts that are never file names: with blanks, or URLs of other places. */
const neverFileName =
  /\s|^(?:https?|wss?|ssh|s?ftps?|git|git\+(?:https?|ssh)|s3|gs|oci|docker|postgres(?:ql)?|mysql|mongodb(?:\+srv)?|rediss?|amqps?):\/\//iu;
/** In such text, a file's name is one word of many. */
const codeSigns = /[\s"'`(<{[]/u;
const pieceSeparator = /:\/\/(?:localhost(?=\/))?|[\s"'`()[\]{}<>|;,:=!?*&#%^+@\\]+/u;
const globSeparator = /[\s"'`(){}<>|;,:=!&#]+/u;
/** With fewer letters, most expressions would count as globs. */
const specificGlob = /[\w.-]{2}/u;
const wildcard = /\[[^\]]*\]|[*?[]/gu;

export interface WordFiles {
  /** Whether the name in a word is not a file's. */
  isNonFile(name: string, use: WordUse): boolean;
  /** Existing files (absolute paths) that the word means in another way than by its name in this folder. */
  findFiles(word: string, names: readonly string[], use: WordUse): string[];
  /** Whether there were more patterns, words in a text, or folders to search than are followed. */
  isOverLimit(): boolean;
}

interface FileLookups {
  at: (name: string, folder?: string) => string;
  isFile: (path: string) => boolean;
  /** If its folder exists, it may be created first. */
  mayExist: (name: string) => boolean;
  /** Some programs add the extension themselves: `latex paper`, `python -m tools.show`. */
  withExtensions: (name: string, folder: string) => string[];
  /** A program may be told to work in the folder, or in that of the file. */
  foldersOf: (name: string) => string[];
  matches: (pattern: string) => string[];
  isOver: () => boolean;
}

function createLookups(cwd: string, home: string, reader: PathReader): FileLookups {
  const at = (name: string, folder = cwd): string => placeOfName(folder, name, home);
  const isFile = (path: string): boolean => isThere(path, reader) && !isFolder(path, reader);
  const known = new Map<string, string[]>();
  const byStem = new Map<string, Map<string, string[]>>();
  let isOver = false;
  const matches = (pattern: string): string[] => {
    const before = known.get(pattern);
    if (before !== undefined) return before;
    const found = known.size < maxPatterns ? filesMatching(at(pattern), reader) : undefined;
    isOver ||= found === undefined;
    if (found !== undefined) known.set(pattern, found);
    return found ?? [];
  };
  return {
    at,
    isFile,
    matches,
    isOver: () => isOver,
    mayExist: (name) => {
      const folder = dirname(at(name));
      return isThere(at(name), reader) || (name.includes("/") && folder !== "/" && isFolder(folder, reader));
    },
    withExtensions: (name, folder) => {
      if (!/\w$/u.test(name)) return [];
      return [...new Set([name, name.replaceAll(".", "/")])].flatMap((each) => {
        const path = at(each, folder);
        const names = entriesByStem(dirname(path), byStem, reader).get(basename(path)) ?? [];
        return names.map((entry) => `${dirname(path)}/${entry}`);
      });
    },
    foldersOf: (name) => {
      if (name === "") return [];
      const found = /[*?[]/u.test(name) ? matches(name) : undefined;
      return (found ?? [at(name)]).flatMap((path) => {
        if (isFolder(path, reader)) return [resolve(path)];
        return found !== undefined || isFile(path) ? [dirname(path)] : [];
      });
    },
  };
}

/** The entries of a folder by the part of their names before each dot. `known`: a cache by folder. */
function entriesByStem(
  folder: string,
  known: Map<string, Map<string, string[]>>,
  reader: PathReader,
): Map<string, string[]> {
  const before = known.get(folder);
  if (before !== undefined) return before;
  const names = new Map<string, string[]>();
  known.set(folder, names);
  for (const { name } of entriesIn(folder, reader))
    for (let dot = name.indexOf("."); dot >= 0; dot = name.indexOf(".", dot + 1)) {
      const same = names.get(name.slice(0, dot));
      if (same === undefined) names.set(name.slice(0, dot), [name]);
      else same.push(name);
    }
  return names;
}

/** Examines the words of a line that runs in `cwd`. `mayBeMade`: whether the line may make a file there. */
export function examineWords(
  words: readonly string[],
  uses: ReadonlyMap<string, WordUse>,
  cwd: string,
  home: string,
  reader: PathReader,
  mayBeMade: (path: string) => boolean,
): WordFiles {
  const { at, isFile, mayExist, withExtensions, foldersOf, matches, isOver } = createLookups(cwd, home, reader);
  let otherFolderPaths: string[] | undefined;
  let isCutOff = false;
  let lookupsLeft = maxLookups;
  const inEach = (folders: readonly string[], below: readonly string[]): string[] => {
    const most = Math.max(0, Math.floor(lookupsLeft / Math.max(1, below.length)));
    isCutOff ||= folders.length > most;
    lookupsLeft -= folders.length * below.length;
    return folders.slice(0, most).flatMap((folder) => below.map((name) => at(name, folder)));
  };
  const foldersNamed = (): string[] => {
    const open = words.filter((word) => !isNeverFolder(uses.get(word)));
    const folders = new Set(open.flatMap((word) => Object.values(namesInWord(word)).flat()).flatMap(foldersOf));
    return [...folders].filter((path) => path !== cwd);
  };
  const isOpen = (use: WordUse): boolean => use === "any" || use === "stem";
  const isNonFileName = (name: string, use: WordUse): boolean => {
    if (use === "text") return true;
    if (use === "listed") return !isFolder(at(name), reader);
    if (use === "file" || use === "branch" || hasHole(cwd)) return isNeverFolder(use);
    return !(isOpen(use) ? mayExist(name) : isFile(at(name)));
  };
  const findFiles = (word: string, names: readonly string[], use: WordUse): string[] => {
    if (use === "text" || use === "listed" || use === "branch" || hasHole(cwd)) return [];
    const otherFolders = use === "file" ? [] : (otherFolderPaths ??= foldersNamed());
    const below = names.filter((name) => /^[^/~]/u.test(name) && !/^\.{1,2}(?:\/|$)/u.test(name));
    const places = inEach(otherFolders, below);
    const there = places.filter((path) => (isOpen(use) ? isThere(path, reader) : isFile(path)));
    if (use === "stem" || use === "module")
      there.push(...[cwd, ...otherFolders].flatMap((folder) => names.flatMap((name) => withExtensions(name, folder))));
    const isText = use === "file" ? codeSigns.test(word) : use !== "told" || !neverFileName.test(word);
    if (isNeverFolder(use) || isExclusion(word) || !isText) return there;
    const all = piecesOfText(word);
    isCutOff ||= all.length > maxPieces;
    const pieces = all.slice(0, maxPieces).filter((piece) => piece !== "" && piece.length < maxName);
    const inText = [...pieces.map((piece) => at(piece)), ...inEach(otherFolders, pieces)];
    const byPattern = globsIn(word).flatMap(matches);
    return [...there, ...inText.filter((path) => isFile(path) || mayBeMade(path)), ...byPattern];
  };
  return { isNonFile: isNonFileName, findFiles, isOverLimit: () => isCutOff || isOver() };
}

/** The pieces of a script, or of a line to run, that may be file names. The name in front of `=` is none. */
function piecesOfText(text: string): string[] {
  const pieces = new Set(text.replace(/^\w+==?(?=\S*$)/u, "").split(pieceSeparator));
  return pieces.size === 1 && pieces.has(text) ? [] : [...pieces];
}

function globsIn(text: string): string[] {
  if (!/[*?[]/u.test(text)) return [];
  return text
    .split(globSeparator)
    .filter((piece) => piece.length < maxName && /[*?[]/u.test(piece))
    .filter((piece) => specificGlob.test(piece.replace(wildcard, "*")));
}
