/** Commands that terminals, window managers and message buses are told to run or to type: `kitty @ launch`, `wezterm cli send-text`. */
import { entriesForNames } from "../../lib/entries-for-names.ts";
import {
  afterMarksReader,
  afterWordReader,
  combineReaders,
  operandReader,
  optionReader,
  type GivenReader,
  type Words,
} from "./given-readers.ts";
import { optionValues } from "../shell/given-words.ts";
import { certainWord, joinTexts, textsOf, wordFrom, type Word } from "../shell/text.ts";
import { typedCodes, typedReader } from "./typed-commands.ts";

/** Marks that begin a command, or the options that hold one. */
const readTerminal = combineReaders(afterMarksReader("-e", "--", "-x", "--execute"), optionReader("--command"));

/** How many words of a command are read if it may begin at each of many words, so that the work does not grow with their square. */
const maxWords = 30;

/** The words after the options, where an option may take the next word. */
function plausibleCommands(rest: Words): Words[] {
  const found: Words[] = [];
  for (const [at, { text }] of rest.entries()) {
    if (text === "--") return [...found, rest.slice(at + 1)];
    if (text.startsWith("-")) continue;
    const before = rest[at - 1]?.text ?? "";
    if (!before.startsWith("-") || before.includes("=")) return [...found, rest.slice(at)];
    found.push(rest.slice(at, at + maxWords));
  }
  return found;
}

/** What each word of the program's own makes of the words after it. */
const wordReader = (table: readonly (readonly [RegExp, GivenReader])[]): GivenReader =>
  combineReaders(...table.map(([words, read]) => afterWordReader(words, read)));

const readKitty = wordReader([
  [/^(?:launch|new-window|run|run-shell)$/u, plausibleCommands],
  [/^ssh$/u, operandReader(1)],
  [/^send-text$/u, typedReader(/^(?:-[mt]|--(?:match|match-tab|bracketed-paste|from-file))$/u)],
]);
const readWezterm = combineReaders(
  readTerminal,
  wordReader([
    [/^(?:start|spawn|split-pane)$/u, plausibleCommands],
    [/^ssh$/u, operandReader(1)],
    [/^send-text$/u, typedReader(/^--pane-id$/u)],
  ]),
);
const readZellij = combineReaders(
  afterMarksReader("--"),
  wordReader([
    [/^run$/u, plausibleCommands],
    [/^write-chars$/u, typedReader(/^(?:-p|--pane-id)$/u)],
    [/^write$/u, typedCodes],
  ]),
);
/** The command after `exec` or `spawn`, in several words or in one. */
const readManager: GivenReader = (rest) => {
  const text = joinTexts(rest);
  const [, given] =
    /(?:^|[\s;,])(?:exec(?:_always|-once|r)?|spawn(?:-sh)?)\s+(?:(?:--(?:no-startup-id)?|\[[^\]]*\])\s+)*([^]+)$/u.exec(
      text,
    ) ?? [];
  return given === undefined ? [] : [given];
};
/** `string:x` and `variant:string:x` give the text x. */
const typedArgument = /^(?:variant:)?(?:string|array:string):/u;
const listArgument = /^(?:array:|\s*["'[(])/u;
/** A list, as in `array:string:a,b` or `['a', 'b']`, has a word in each item. */
function wordsInArgument(word: Word): Word[] {
  const rest = wordFrom(word, typedArgument.exec(word.text)?.[0].length ?? 0);
  if (!listArgument.test(word.text)) return [rest];
  const items = rest.text.split(/["'()[\],]+/u).map((item) => item.trim());
  return items.filter((item) => item !== "").map(certainWord);
}
/** A program and its arguments may be one text, or one word each. */
const readMessage: GivenReader = (rest) => {
  const words = rest.flatMap(wordsInArgument);
  return words.map((word, at) => (word.text.includes(" ") ? word.text : words.slice(at, at + maxWords)));
};
/** What follows `EXEC:` or `SYSTEM:`, up to the options of the address. */
const readAddresses: GivenReader = (rest) =>
  textsOf(rest).flatMap((text) => /(?:^|!!)(?:exec|system|shell):([^,]+)/iu.exec(text)?.[1] ?? []);
/** What a unit runs beside its command: `-p ExecStartPre=x`. */
const readUnit: GivenReader = (rest) =>
  optionValues(rest, "-p", "--property").flatMap((text) => /^\s*Exec\w+=[-@:+!|]*([^]+)$/u.exec(text)?.[1] ?? []);

export const windowReaders: readonly [string, GivenReader][] = [
  ...entriesForNames(
    "xterm uxterm lxterm konsole alacritty gnome-terminal xfce4-terminal mate-terminal lxterminal terminator tilix kgx ptyxis terminology urxvt urxvtc rxvt st ghostty sakura roxterm qterminal mlterm x-terminal-emulator",
    readTerminal,
  ),
  ...entriesForNames("kitty kitten", readKitty),
  ["wezterm", readWezterm],
  ["zellij", readZellij],
  ...entriesForNames(
    "xdotool ydotool",
    wordReader([
      [/^type$/u, typedReader(/^--(?:delay|window|args|terminator)$|^-d$/u)],
      [/^exec$/u, plausibleCommands],
    ]),
  ),
  ["wtype", typedReader(/^-[Mmpksd]$/u)],
  ...entriesForNames("i3-msg swaymsg hyprctl niri riverctl herbstclient", readManager),
  ...entriesForNames("dbus-send gdbus busctl qdbus qdbus6 qdbus-qt5", readMessage),
  ["socat", readAddresses],
  ["pueue", wordReader([[/^add$/u, plausibleCommands]])],
  ["pm2", wordReader([[/^start$/u, plausibleCommands]])],
  ...entriesForNames("schtasks schtasks.exe", afterMarksReader("/tr", "/TR")),
  ["systemd-run", readUnit],
  ["launchctl", combineReaders(operandReader(2), afterMarksReader("--"))],
];
