/** What is typed into another terminal, and what tmux is told to do: `tmux send-keys`, `tmux bind-key`, `screen -X stuff`. */
import { optionValues, wordsAfterOperands, type GivenCommand } from "../shell/given-words.ts";
import { certainWord, textsOf, type Word } from "../shell/text.ts";
import {
  nestingCommandNames,
  keyFirstNames,
  sendKeysNames,
  setBufferNames,
  setOptionNames,
} from "../shell/tmux-names.ts";

const tmuxWord = certainWord("tmux");
const enterKey = /^(?:Enter|KPEnter|(?:C-|\^)[mj])$/iu;
/** Options of tmux itself that take the next word. */
const valuedTmuxOption = /^-[2CDlNuvV]*[cfLST]$/u;

/** Options of send-keys that take the next word. */
const valuedSendOption = /^-[FHKlMRX]*[ctN]$/u;

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
    const typed = isTyped ? typedLines(words.slice(at + 1)) : [];
    const wholeCommand = !isTyped && commands.length > 1 ? [[tmuxWord, ...words]] : [];
    return [
      ...typed,
      ...wholeCommand,
      ...otherCommands(words),
      ...nestedCommands(words),
      ...words.flatMap(commandsInFormats),
    ];
  });
}

/** What is kept for a later paste, and what tmux runs in place of a session. */
function otherCommands(words: readonly Word[]): GivenCommand[] {
  const at = words.findIndex(({ text }) => setBufferNames.test(text));
  if (at >= 0) return wordsAfterOperands(words.slice(at + 1), 0, /^-[aw]*[bnt]$/u).flatMap(textsOf);
  return wordsAfterOperands(words, 0, valuedTmuxOption).length === 0 ? optionValues(words, "-c") : [];
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
  const wholeText = `tmux ${text}`;
  return text.includes(";") ? [wholeText, wholeText.replaceAll(";", "; tmux ")] : [wholeText];
}

/** The text that send-keys types: the words in sequence, except for names of keys. With `-X`, they name a command of copy mode, which may pipe the selection to another. */
function typedLines(words: readonly Word[]): string[] {
  const typed = textsOf(wordsAfterOperands(words, 0, valuedSendOption).flat());
  const flags = textsOf(words.slice(0, words.length - typed.length)).filter((text) => /^-[FHKlMRX]/u.test(text));
  if (flags.some((text) => text.includes("X"))) return typed[0]?.includes("pipe") === true ? typed.slice(1) : [];
  const isHex = flags.some((text) => text.includes("H"));
  // Some builds may also take options after the text.
  const isOption = (text: string, at: number): boolean =>
    /^-(?:-|[A-Za-z]+)$/u.test(text) || valuedSendOption.test(typed[at - 1] ?? "");
  const readings = [typed, typed.filter((text, at) => !isOption(text, at))];
  return readings.map((texts) => texts.map((text) => typedKey(text, isHex)).join(""));
}

function typedKey(text: string, isHex: boolean): string {
  const [, code] = (isHex ? /^(?:0x)?([\da-f]{1,2})$/iu : /^0x([\da-f]{1,2})$/iu).exec(text) ?? [];
  if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16)).replace("\r", "\n");
  if (enterKey.test(text)) return "\n";
  return text === "Space" ? " " : text;
}

/** The line ends where one of these is typed. */
const typedEnd = /\^[MJmj]|\\(?:[nr]|0?1[25])|\r/gu;

export function stuffedText([text]: readonly Word[]): GivenCommand[] {
  return text === undefined ? [] : [typedText(text.text)];
}

/** The commands in the words of screen's `eval`. */
export function evaluatedByScreen(words: readonly Word[]): GivenCommand[] {
  return textsOf(words).flatMap((text) => {
    const [, quote, given] = /^\s*(?:stuff|exec|screen)\s+(["']?)([^]+)/u.exec(text) ?? [];
    return given === undefined ? [] : [typedText(quote === "" ? given : given.replaceAll(quote ?? "", " "))];
  });
}

function typedText(text: string): string {
  return text.replace(typedEnd, "\n");
}

/** Reads what is typed into a terminal or window, after options of which `valued` take the next word. */
export const typedReader =
  (valued: RegExp) =>
  (rest: readonly Word[]): GivenCommand[] =>
    wordsAfterOperands(rest, 0, valued).map((words) => typedText(textsOf(words).join(" ")));

/** Reads words that are decimal numbers of characters. */
export function typedCodes(words: readonly Word[]): GivenCommand[] {
  const codes = textsOf(words).filter((text) => /^\d{1,3}$/u.test(text));
  return [String.fromCodePoint(...codes.map(Number)).replaceAll("\r", "\n")];
}
