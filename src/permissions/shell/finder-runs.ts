/** The commands that the words of `find` and `fd` give them to run. */
import type { Word } from "./text.ts";
import { bundledRunOption, finderRunOption } from "./wrappers.ts";

export interface FinderRun {
  /** The word in front of the command. */
  option: Word;
  /** Only the shell will know whether it is the option. */
  isOpen: boolean;
  /** Undefined if there are too many open words in front of too many others. */
  run: readonly Word[] | undefined;
}

/** The words behind open words, all together: each open word may make a command of all that follow it. */
const maxWordsBehindOpen = 10_000;

/** `rest`: the words after the program. */
export function* finderRuns(program: string, rest: readonly Word[]): Generator<FinderRun> {
  const ends = commandEnds(rest);
  let left = maxWordsBehindOpen;
  for (const [index, option] of rest.entries()) {
    const isOpen = option.unsure !== undefined && "-exec".startsWith(option.text.slice(0, Math.min(5, option.known)));
    const isBundled = program.startsWith("fd") && bundledRunOption.test(option.text);
    if (!isOpen && !isBundled && !finderRunOption.test(option.text)) continue;
    const end = ends[index + 1] ?? rest.length;
    if (isOpen) left -= end - index;
    yield { option, isOpen, run: isOpen && left < 0 ? undefined : rest.slice(index + 1, end) };
  }
}

/** For each word, the index of the word that ends a command which begins there. */
function commandEnds(words: readonly Word[]): number[] {
  const ends: number[] = [];
  let end = words.length;
  for (let at = words.length - 1; at >= 0; at -= 1) {
    if ([";", "+"].includes(words[at]?.text ?? "")) end = at;
    ends[at] = end;
  }
  return ends;
}
