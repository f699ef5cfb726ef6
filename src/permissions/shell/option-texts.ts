/** Texts for a shell that a program gets through an option of its own: `su -c 'a b'`, `npx --call='a b'`. */
import { entriesForNames } from "../../lib/entries-for-names.ts";
import { commandStart, isStartCertain } from "./wrappers.ts";
import { wordFrom, type Word } from "./text.ts";

const commandOptionPrograms = new Set(["su", "script", "flock", "runuser", "npx"]);
const commandOption = /^(?:-[A-Za-z]*c|--command|--session-command|--call)$/u;
/** The option with its text in one word; for some programs, `-c` is another option. Long options may be abbreviated. */
const gluedOption = /^(?:-[A-Za-z]*?c|(--[a-z][a-z-]+)=)(?=[^])/u;
const longOptionNames = ["--command", "--call", "--session-command"];
const gluedCommandOptions = new Map([
  ...[...commandOptionPrograms, "npm"].map((name) => [name, gluedOption] as const),
  ...entriesForNames("doppler infisical", /^(--command)=(?=[^])/u),
]);
/** Options of npx that take no further word. Any other may take one. */
const npxFlag = /^(?:-[yqs]+|--(?:yes|quiet|silent|offline|prefer-offline|ignore-existing|no-[a-z-]+|[^=]+=[^]*))$/u;

/** The index from which options belong to the command that is run. Most programs look for their own options among all words. */
export function ownOptionsEnd(program: string, rest: readonly Word[]): number {
  const isMarked = program !== "su" && (program !== "runuser" || rest.some(({ text }) => /^(?:-u|--u)/u.test(text)));
  const marked = isMarked ? rest.findIndex(({ text }) => text === "--") : -1;
  const ends = [rest.length, marked];
  if (program === "npx") ends.push(rest.findIndex((_, index) => isFirstOperand(rest, index)));
  const start = program === "flock" ? commandStart(program, rest) : -1;
  if (isStartCertain(program, rest.slice(0, Math.max(0, start)))) ends.push(start);
  return Math.min(...ends.filter((end) => end >= 0));
}

function isFirstOperand(rest: readonly Word[], index: number): boolean {
  const before = rest[index - 1]?.text ?? "";
  return rest[index]?.text.startsWith("-") === false && (!before.startsWith("-") || npxFlag.test(before));
}

/** Whether the option before the word makes it a text for a shell. `end`: where the program's own options end. */
export function isOptionText(program: string, rest: readonly Word[], index: number, end: number): boolean {
  return index <= end && commandOptionPrograms.has(program) && commandOption.test(rest[index - 1]?.text ?? "");
}

/** The text for a shell in `su -c'a b'` and `--command='a b'`. */
export function gluedText(program: string, word: Word): Word | undefined {
  const [glued, name] = gluedCommandOptions.get(program)?.exec(word.text) ?? [];
  if (glued === undefined || (name !== undefined && !longOptionNames.some((each) => each.startsWith(name))))
    return undefined;
  return wordFrom(word, glued.length);
}
