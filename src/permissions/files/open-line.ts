/** What a command line tells of its words that are open: what its variables hold, and which files its patterns may find. */
import { resolve } from "node:path";
import { visitedFolders } from "./critical-remove.ts";
import { layFiles } from "./handed-words.ts";
import { entriesIn, type PathReader } from "../paths/path-forms.ts";
import { withFolders, type OpenLine } from "../rules/open-words.ts";
import type { ValueOf } from "../shell/fill.ts";
import type { LexedCommand, Word } from "../shell/text.ts";
import { programOf, type PlausibleCommand } from "../shell/unwrap.ts";
import { shellValues } from "../shell/values.ts";
import type { CommandReading } from "../shell/words.ts";

interface LinePlaces {
  cwd: string;
  home: string;
  reader: PathReader;
}

export function openLine(reading: CommandReading, source: string, places: LinePlaces): OpenLine {
  const { cwd, home, reader } = places;
  let values: ValueOf | undefined;
  const told: ValueOf = (name) => {
    if (values === undefined) {
      const { told: all, orUnset = all } = shellValues(reading.written, source, home, [cwd]);
      // What only the shell knows may set any of them.
      values = withFolders(reading.commands.some(mayBeAny) ? onlyHome(home) : orUnset);
    }
    return values(name);
  };
  const here = new Set(reading.written.flatMap(({ words, before }) => (before === undefined ? [] : words)));
  let folders: readonly string[] | undefined;
  return {
    valueOf: told,
    findsDashed: (word) => {
      if (!here.has(word) || mayMakeDashed(reading, word)) return true;
      folders ??= foldersOf(reading, source, places);
      return folders.length === 0 || folders.some((folder) => holdsDashed(folder, reader));
    },
  };
}

function mayBeAny({ words: [program] }: PlausibleCommand): boolean {
  return program?.unsure !== undefined && !/^[./~]/u.test(program.text);
}

function onlyHome(home: string): ValueOf {
  return (name) => (name === "HOME" ? [home] : undefined);
}

function holdsDashed(folder: string, reader: PathReader): boolean {
  return entriesIn(folder, reader).some(({ name }) => name.startsWith("-"));
}

/** None where that cannot be told. */
function foldersOf({ commands, written }: CommandReading, source: string, { cwd, home }: LinePlaces): string[] {
  const moves = written.filter(({ words }) => words.some((word) => /^(?:cd|pushd|popd)$/u.test(word.text)));
  const isPlain = ({ words }: LexedCommand): boolean =>
    words.every(({ text, unsure }) => unsure === undefined && !/^(?:-|\+|popd$)/u.test(text) && !/^~[^/]/u.test(text));
  if (!moves.every(isPlain) || /\b(?:CDPATH|HOME=)/u.test(source)) return [];
  return [...new Set([resolve(cwd), ...visitedFolders(commands, cwd, home)])];
}

/** They give files the names of others. */
const naming = new Set("cp mv ln install rsync scp curl wget split csplit rename".split(" "));

/** Whether another command of the line may make a file with such a name before the pattern is looked up. */
function mayMakeDashed({ commands, written }: CommandReading, word: Word): boolean {
  const others = commands.filter(({ words }) => !words.includes(word));
  if (others.some((each) => layFiles(each) || naming.has(programOf(each.words[0]) ?? ""))) return true;
  const targets = written.flatMap(({ redirects }) =>
    redirects.flatMap(({ target, isWrite }) => (isWrite ? target : [])),
  );
  if (targets.some(({ text, known, unsure }) => text.startsWith("-") || (unsure !== undefined && known === 0)))
    return true;
  const all = [...targets, ...others.flatMap(({ words }) => words)];
  return all.some(({ text }) => /\/(?:-|[$`{])/u.test(text));
}
