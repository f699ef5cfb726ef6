/** Commands that terminals, window managers and message buses are told to run or to type: `kitty @ launch`, `wezterm cli send-text`. */
import { entriesForNames } from "../../lib/entries-for-names.ts";
import { wordsAfterMark, wordsAfterOperands, optionValues, type GivenCommand } from "../shell/given-words.ts";
import { joinTexts, textsOf, wordFrom, type Word } from "../shell/text.ts";
import { typedCodes, typedReader } from "./typed-commands.ts";

type Words = readonly Word[];
type GivenReader = (rest: Words) => GivenCommand[];

/** Marks that begin a command, or the options that hold one. */
const readTerminal: GivenReader = (rest) => [
  ...wordsAfterMark(rest, "-e", "--", "-x", "--execute"),
  ...optionValues(rest, "--command"),
];

/** How many words of a command are read if it may begin at each of many words, so that the work does not grow with their square. */
const maxWords = 50;

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
const wordReader =
  (table: readonly (readonly [RegExp, GivenReader])[]): GivenReader =>
  (rest) =>
    table.flatMap(([words, read]) => {
      const at = rest.findIndex(({ text }) => words.test(text));
      return at < 0 ? [] : read(rest.slice(at + 1));
    });
const combineReaders =
  (...readers: GivenReader[]): GivenReader =>
  (rest) =>
    readers.flatMap((read) => read(rest));

const readKitty = wordReader([
  [/^(?:launch|run)$/u, plausibleCommands],
  [/^send-text$/u, typedReader(/^(?:-[mt]|--(?:match|match-tab|bracketed-paste|from-file))$/u)],
]);
const readWezterm = combineReaders(
  readTerminal,
  wordReader([
    [/^(?:start|spawn|split-pane)$/u, plausibleCommands],
    [/^send-text$/u, typedReader(/^--pane-id$/u)],
  ]),
);
const readZellij = combineReaders(
  (rest) => wordsAfterMark(rest, "--"),
  wordReader([
    [/^write-chars$/u, typedReader(/^(?:-p|--pane-id)$/u)],
    [/^write$/u, typedCodes],
  ]),
);
/** The command after `exec` or `spawn`, in several words or in one. */
const readManager: GivenReader = (rest) => {
  const told = joinTexts(rest);
  const [, given] =
    /(?:^|[\s;,])(?:exec(?:_always|-once)?|spawn(?:-sh)?)\s+(?:--(?:no-startup-id)?\s+)*([^]+)$/u.exec(told) ?? [];
  return given === undefined ? [] : [given];
};
/** `string:x` and `variant:string:x` give the text x. */
const typedArgument = /^(?:variant:)?(?:string|array:string):/u;
/** A program and its arguments may be one text, or one word each. */
const readMessage: GivenReader = (rest) => {
  const words = rest.map((word) => wordFrom(word, typedArgument.exec(word.text)?.[0].length ?? 0));
  return words.map((word, at) => (word.text.includes(" ") ? word.text : words.slice(at, at + maxWords)));
};
/** What follows `EXEC:` or `SYSTEM:`, up to the options of the address. */
const readAddresses: GivenReader = (rest) =>
  textsOf(rest).flatMap((text) => /^(?:exec|system|shell):(?:([^,]+)|$)/iu.exec(text)?.[1] ?? []);
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
    wordReader([[/^type$/u, typedReader(/^--(?:delay|window|clearmodifiers|args|terminator)$|^-d$/u)]]),
  ),
  ["wtype", typedReader(/^-[Mmpksd]$/u)],
  ...entriesForNames("i3-msg swaymsg hyprctl niri", readManager),
  ...entriesForNames("dbus-send gdbus busctl qdbus qdbus6 qdbus-qt5", readMessage),
  ["socat", readAddresses],
  ["pueue", wordReader([[/^add$/u, plausibleCommands]])],
  ["pm2", wordReader([[/^start$/u, plausibleCommands]])],
  ...entriesForNames("schtasks schtasks.exe", (rest: Words) => wordsAfterMark(rest, "/tr", "/TR")),
  ["systemd-run", readUnit],
  ["launchctl", (rest) => [...wordsAfterOperands(rest, 2, /^-$/u), ...wordsAfterMark(rest, "--")]],
];
