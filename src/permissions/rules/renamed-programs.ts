/** Finds programs that a line runs under another name, because it copies, links or moves them first: `ln -s /usr/bin/curl x; ./x`. */
import { readGivenCommand } from "../given/indirect-commands.ts";
import { certainWord, type LexedCommand, type Word } from "../shell/text.ts";
import { programName, type PlausibleCommand } from "../shell/unwrap.ts";

const copyingPrograms = new Set(
  "ln link cp mv install rsync scp dd cat tee sponge pv rename busybox toybox".split(" "),
);
/** `$(which curl)` and the like stand for the path of a program. */
const lookup = /(?:\$\(|`)\s*(?:which|type\s+-[pP]|command\s+-v|realpath|readlink\s+-f)\s+([\w.+/-]+)\s*[)`]$/u;
const operandPrefix = /^(?:if|of)=/u;
const maxRenamed = 200;

/** Words that stand for the same file, as one of the line's commands copies, links or moves it. */
type SameFile = readonly Word[];

export interface RenamedCommands {
  commands: PlausibleCommand[];
  /** False if there are more than are followed. */
  isWhole: boolean;
}

export function findRenamedPrograms(
  commands: readonly PlausibleCommand[],
  written: readonly LexedCommand[],
): RenamedCommands {
  const groups = [...commands.filter(({ isIdle }) => !isIdle), ...written].flatMap(filesOfCopy);
  const found: PlausibleCommand[] = [];
  if (groups.length === 0) return { commands: found, isWhole: true };
  const otherNames = createOtherNames(groups);
  for (const command of commands) {
    const [program, ...rest] = command.words;
    const name = fileName(program);
    if (name === undefined || command.isIdle) continue;
    for (const other of otherNames(name)) {
      found.push(...readGivenCommand([other, ...rest]).commands);
      if (found.length > maxRenamed) return { commands: found, isWhole: false };
    }
  }
  return { commands: found, isWhole: true };
}

function filesOfCopy(command: PlausibleCommand | LexedCommand): SameFile[] {
  const at = command.words.findIndex((word) => copyingPrograms.has(programName(word) ?? ""));
  if (at < 0) return [];
  const redirects = "redirects" in command ? command.redirects.map(({ target }) => target) : [];
  const words = [...command.words.slice(at + 1), ...redirects].filter(({ text }) => !text.startsWith("-"));
  return words.length < 2 ? [] : [words.map(asProgram)];
}

function asProgram(word: Word): Word {
  const [, found] = lookup.exec(word.text) ?? [];
  if (found !== undefined) return certainWord(found);
  const bare = word.unsure === undefined ? word.text.replace(operandPrefix, "") : word.text;
  return bare === word.text ? word : certainWord(bare);
}

/** The name of a file, where it is certain. */
function fileName(word: Word | undefined): string | undefined {
  if (word === undefined) return undefined;
  const name = word.text.slice(word.text.lastIndexOf("/") + 1);
  const isCertain = word.unsure === undefined || (word.tail ?? word.text.length) <= word.text.length - name.length;
  return isCertain && name !== "" ? name : undefined;
}

/** Finds the words for the same file as a name, also over several copies. Each name and each copy is looked at once. */
function createOtherNames(groups: readonly SameFile[]): (name: string) => readonly Word[] {
  const groupsOf = new Map<string, SameFile[]>();
  for (const group of groups) {
    for (const name of new Set(group.map(fileName))) {
      if (name === undefined) continue;
      const known = groupsOf.get(name);
      if (known === undefined) groupsOf.set(name, [group]);
      else known.push(group);
    }
  }
  const wordsOf = new Map<string, ReadonlyMap<string, Word>>();
  const readFile = (start: string): void => {
    const words = new Map<string, Word>();
    const names = new Set([start]);
    const seen = new Set<SameFile>();
    for (const name of names) {
      wordsOf.set(name, words);
      for (const group of groupsOf.get(name) ?? []) {
        if (seen.has(group)) continue;
        seen.add(group);
        for (const word of group) {
          words.set(word.text, word);
          const other = fileName(word);
          if (other !== undefined) names.add(other);
        }
      }
    }
  };
  const known = new Map<string, readonly Word[]>();
  return (name) => {
    if (!wordsOf.has(name)) readFile(name);
    const others =
      known.get(name) ?? [...(wordsOf.get(name)?.values() ?? [])].filter((word) => fileName(word) !== name);
    known.set(name, others);
    return others;
  };
}
