/** What is typed into another terminal, and what tmux is told to do: `tmux send-keys`, `tmux bind-key`, `screen -X stuff`. */
import { wordsAfterOperands, type GivenCommand } from "../shell/given-words.ts";
import { certainWord, type Word } from "../shell/text.ts";
import { nestingCommandNames, keyFirstNames, sendKeysNames, setOptionNames } from "../shell/tmux-names.ts";

const tmuxWord = certainWord("tmux");
const enterKey = /^(?:Enter|KPEnter|(?:C-|\^)[mj])$/iu;

/** A `;` alone or at a word's end separates commands of tmux. What else a lone command runs is found as for any program. */
export function givenToTmux(rest: readonly Word[]): GivenCommand[] {
  const commands: Word[][] = [[]];
  for (const { text, known, ...word } of rest) {
    const own = text.replace(/(?<!\\);$/u, "");
    if (own !== "" || text === "") commands.at(-1)?.push({ ...word, text: own, known: Math.min(known, own.length) });
    if (own !== text) commands.push([]);
  }
  return commands.flatMap((words): GivenCommand[] => {
    const at = words.findIndex(({ text }) => sendKeysNames.test(text));
    // In another place, the word may belong to what another command runs.
    const isTyped = at === 0 || (at > 0 && commands.length === 1);
    const typed = isTyped ? [typedLine(words.slice(at + 1))] : [];
    const whole = !isTyped && commands.length > 1 ? [[tmuxWord, ...words]] : [];
    return [...typed, ...whole, ...nestedCommands(words), ...words.flatMap(commandsInFormats)];
  });
}

/** What a command may run that holds others: for a key, after an event, or once somebody confirms. */
function nestedCommands(words: readonly Word[]): GivenCommand[] {
  const at = words.findIndex(({ text }) => nestingCommandNames.test(text) || setOptionNames.test(text));
  const name = words[at]?.text ?? "";
  const rest = words.slice(at + 1);
  if (setOptionNames.test(name))
    return rest.flatMap(({ text }, index) => (/-(?:command|shell)$/u.test(rest[index - 1]?.text ?? "") ? [text] : []));
  if (at < 0) return [];
  const [inWords = []] = wordsAfterOperands(rest, keyFirstNames.test(name) ? 1 : 0, /^-[A-Za-z]*[cINpTt]$/u);
  return [
    ...rest.flatMap(commandsInWord),
    ...rest.flatMap((word) => (/^[a-z]+(?:-[a-z]+)+$/u.test(word.text) ? [[tmuxWord, word]] : [])),
    ...(inWords.length === 0 ? [] : [[tmuxWord, ...inWords]]),
  ];
}

/** The commands that tmux runs in a shell to show their output in a status line or the like. */
function commandsInFormats({ text }: Word): string[] {
  return [...text.matchAll(/#\(([^)]*)\)/gu)].map(([, command = ""]) => command);
}

/** Commands of tmux in one word. A `;` may separate them or belong to a text for a shell. */
function commandsInWord({ text }: Word): GivenCommand[] {
  if (!/\s/u.test(text)) return [];
  const whole = `tmux ${text}`;
  return text.includes(";") ? [whole, whole.replaceAll(";", "; tmux ")] : [whole];
}

/** The text that send-keys types: the words in sequence, except for names of keys. */
function typedLine(words: readonly Word[]): string {
  let line = "";
  for (const [at, { text }] of words.entries()) {
    const isOption = /^-(?:-|[A-Za-z]+)$/u.test(text) || /^-[A-Za-z]*[tNc]$/u.test(words[at - 1]?.text ?? "");
    if (!isOption) line += enterKey.test(text) ? "\n" : text === "Space" ? " " : text;
  }
  return line;
}

/** The line ends where one of these is typed. */
const typedEnd = /\^[MJmj]|\\(?:[nr]|0?1[25])|\r/gu;

export function stuffedText([text]: readonly Word[]): GivenCommand[] {
  return text === undefined ? [] : [text.text.replace(typedEnd, "\n")];
}
