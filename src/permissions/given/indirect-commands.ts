/**
 * Finds commands that programs get in other ways than as their own last words, for rules that name commands only. Their files are not
 * considered, since they may be on another machine.
 */
import { givenCommands } from "./given-commands.ts";
import { commandsInVariable, gitSettingsInVariables } from "./given-by-variable.ts";
import { textsFedIn } from "./fed-texts.ts";
import { addAliases, commandsByAlias, commandsInSetting, gitSettingsIn } from "./given-to-git.ts";
import type { GivenCommand } from "../shell/given-words.ts";
import { lexCommands } from "../shell/lexer.ts";
import { emptyCommand, joinTexts, textsOf, type LexedCommand, type Word } from "../shell/text.ts";
import { programName, tooMuchText, Unwrapper, type PlausibleCommand } from "../shell/unwrap.ts";
import {
  assignmentForm,
  commandStart,
  givesWordsToShell,
  keywords,
  acceptsAssignments,
  takesValue,
} from "../shell/wrappers.ts";
import { declaringBuiltins } from "../shell/values.ts";
import { withGitSubcommand } from "../shell/words.ts";

const maxDepth = 3;
const maxGivenCommands = 2_000;
interface CommandSource {
  commands: readonly PlausibleCommand[];
  rawCommands: readonly LexedCommand[];
  opaque?: string | undefined;
}

interface IndirectCommands {
  commands: PlausibleCommand[];
  /** The words they were read from. */
  rawCommands: LexedCommand[];
  /** False if there is more than is followed. */
  isWhole: boolean;
}

export function findIndirectCommands(reading: CommandSource): IndirectCommands {
  const found: PlausibleCommand[] = [];
  const sourceCommands: LexedCommand[] = [];
  let left = maxGivenCommands;
  let isWhole = true;
  // Shared by all levels: an alias also applies in commands that are read from others.
  const aliases = new Map<string, Set<string>>();
  const read = ({ commands, rawCommands }: CommandSource, depth: number): void => {
    const givenToPrograms = commandsGivenIn(commands);
    const set = rawCommands.flatMap(({ words }) => textsOf(assignmentWordsIn(words)));
    const byVariable = gitSettingsInVariables(set, rawCommands);
    const gits = commands.filter(({ words }) => programName(words[0]) === "git").map(({ words }) => words.slice(1));
    addAliases(aliases, [...byVariable, ...gits.flatMap(gitSettingsIn)]);
    const fromVariables = [...set.flatMap(commandsInVariable), ...byVariable.flatMap(commandsInSetting)];
    const aliased: string[] = [];
    for (const rest of gits) if (aliased.length <= maxGivenCommands) aliased.push(...commandsByAlias(aliases, rest));
    for (const command of [
      ...givenToPrograms,
      ...fromVariables,
      ...aliased,
      ...textsFedIn([...commands, ...commandsInside(givenToPrograms)], rawCommands),
    ]) {
      // cat prints its input and reads no other file.
      if (command === "cat" || command.length === 0) continue;
      left -= 1;
      isWhole &&= left >= 0 && depth <= maxDepth;
      if (!isWhole) return;
      const inner = readGivenCommand(command);
      isWhole = inner.opaque !== tooMuchText;
      // Nothing can be said of commands only the shell knows.
      found.push(...inner.commands.filter(({ words }) => programName(words[0]) !== null).flatMap(withGitSubcommand));
      sourceCommands.push(...inner.rawCommands);
      read(inner, depth + 1);
    }
  };
  read(reading, 0);
  return { commands: found, rawCommands: sourceCommands, isWhole };
}

export function readGivenCommand(command: GivenCommand): CommandSource {
  const isText = typeof command === "string";
  const unwrapper = new Unwrapper(isText ? command : joinTexts(command));
  const asWords = (words: Word[]) => ({ commands: [{ ...emptyCommand(), words }], understood: true, isForBash: false });
  unwrapper.read(isText ? lexCommands(command) : asWords([...command]));
  return unwrapper;
}

/** The commands that others are given as words: these read the same input. */
function commandsInside(givenToPrograms: readonly GivenCommand[]): PlausibleCommand[] {
  return givenToPrograms.flatMap((command) => (typeof command === "string" ? [] : readGivenCommand(command).commands));
}

function commandsGivenIn(commands: readonly PlausibleCommand[]): GivenCommand[] {
  return commands.flatMap(({ words }) => givenCommands(programName(words[0]) ?? "", words.slice(1)));
}

/** The words that set variables. In other places, `EDITOR=x` is a search pattern or output. */
export function assignmentWordsIn(words: readonly Word[]): readonly Word[] {
  const program = words.findIndex(({ text }) => !assignmentForm.test(text) && !keywords.has(text) && text !== "time");
  if (program < 0) return words;
  const found = words.slice(0, program);
  let setter: string | undefined;
  let before = "";
  // A shell that is given words accepts assignments in front of them, too.
  let givenStart = -1;
  for (const [at, word] of words.entries()) {
    if (at < program) continue;
    const { text } = word;
    const name = programName(word) ?? "";
    if (declaringBuiltins.has(name)) return [...found, ...words.slice(at + 1)];
    const isInFront = text.startsWith("-") || assignmentForm.test(text) || takesValue(setter ?? "", before);
    if (givesWordsToShell(name)) givenStart = at + 1 + commandStart(name, words.slice(at + 1));
    if (at === givenStart && assignmentForm.test(text)) {
      found.push(word);
      givenStart += 1;
    } else if (acceptsAssignments(name)) setter = name;
    else if (setter !== undefined && isInFront) found.push(word);
    else setter = undefined;
    before = text;
  }
  return found;
}
