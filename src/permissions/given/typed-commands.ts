/** What is typed into another terminal, and what tmux is told to do: `tmux send-keys`, `tmux bind-key`, `screen -X stuff`. */
import { behindOperands, type GivenCommand } from "../shell/given-words.ts";
import { certainWord, type Word } from "../shell/text.ts";
import { holdsCommands, namesFirst, sendsKeys, setsOption } from "../shell/tmux-names.ts";

const tmux = certainWord("tmux");
const ends = /^(?:Enter|KPEnter|(?:C-|\^)[mj])$/iu;

/** A `;` alone or at a word's end separates commands of tmux. What else a lone command runs is found as for any program. */
export function givenToTmux(rest: readonly Word[]): GivenCommand[] {
  const commands: Word[][] = [[]];
  for (const { text, known, ...word } of rest) {
    const own = text.replace(/(?<!\\);$/u, "");
    if (own !== "" || text === "") commands.at(-1)?.push({ ...word, text: own, known: Math.min(known, own.length) });
    if (own !== text) commands.push([]);
  }
  return commands.flatMap((words): GivenCommand[] => {
    const at = words.findIndex(({ text }) => sendsKeys.test(text));
    // In another place, the word may belong to what another command runs.
    const isTyped = at === 0 || (at > 0 && commands.length === 1);
    const typed = isTyped ? [lineOf(words.slice(at + 1))] : [];
    const whole = !isTyped && commands.length > 1 ? [[tmux, ...words]] : [];
    return [...typed, ...whole, ...held(words), ...words.flatMap(shown)];
  });
}

/** What a command may run that holds others: for a key, after an event, or once somebody confirms. */
function held(words: readonly Word[]): GivenCommand[] {
  const at = words.findIndex(({ text }) => holdsCommands.test(text) || setsOption.test(text));
  const name = words[at]?.text ?? "";
  const rest = words.slice(at + 1);
  if (setsOption.test(name))
    return rest.flatMap(({ text }, index) => (/-(?:command|shell)$/u.test(rest[index - 1]?.text ?? "") ? [text] : []));
  if (at < 0) return [];
  const [inWords = []] = behindOperands(rest, namesFirst.test(name) ? 1 : 0, /^-[A-Za-z]*[cINpTt]$/u);
  return [
    ...rest.flatMap(branchOf),
    ...rest.flatMap((word) => (/^[a-z]+(?:-[a-z]+)+$/u.test(word.text) ? [[tmux, word]] : [])),
    ...(inWords.length === 0 ? [] : [[tmux, ...inWords]]),
  ];
}

/** The commands that tmux runs in a shell to show their output in a status line or the like. */
function shown({ text }: Word): string[] {
  return [...text.matchAll(/#\(([^)]*)\)/gu)].map(([, command = ""]) => command);
}

/** Commands of tmux in one word. A `;` may separate them or belong to a text for a shell. */
function branchOf({ text }: Word): GivenCommand[] {
  if (!/\s/u.test(text)) return [];
  const whole = `tmux ${text}`;
  return text.includes(";") ? [whole, whole.replaceAll(";", "; tmux ")] : [whole];
}

/** The text that send-keys types: the words in sequence, except for names of keys. */
function lineOf(words: readonly Word[]): string {
  let line = "";
  for (const [at, { text }] of words.entries()) {
    const isOption = /^-(?:-|[A-Za-z]+)$/u.test(text) || /^-[A-Za-z]*[tNc]$/u.test(words[at - 1]?.text ?? "");
    if (!isOption) line += ends.test(text) ? "\n" : text === "Space" ? " " : text;
  }
  return line;
}

/** The line ends where one of these is typed. */
const typedEnd = /\^[MJmj]|\\(?:[nr]|0?1[25])|\r/gu;

export function stuffed([text]: readonly Word[]): GivenCommand[] {
  return text === undefined ? [] : [text.text.replace(typedEnd, "\n")];
}
