/**
 * What a terminal can do, as far as its environment tells. What it is asked for while a person types, and how each is put back. Pastes are marked by all terminals that know
 * the request, and others take no notice of it; Shift+Enter is told apart from Enter only where the request is known to be understood.
 */
import { pasteOff, pasteOn } from "./keys.ts";

/**
 * `dumb`: it cannot move its cursor. At another width, most break all lines into rows anew (`rewraps`), those of editors
 * and browsers all but the cursor's line (`rewrapsAbove`); urxvt leaves the cursor in its line's first row (`rewrapsToStart`);
 * old ones cut their rows off (`cuts`).
 */
export type TerminalKind = "dumb" | "cuts" | "rewrapsAbove" | "rewrapsToStart" | "rewraps";

export interface TerminalModes {
  on: string;
  off: string;
  /** Asks once more, where a shell has had the terminal meanwhile. */
  again: string;
  /** It shows a line before it sends it: the shells of Emacs. */
  hasShown?: boolean;
}

type KeyModes = Pick<TerminalModes, "on" | "off">;

/**
 * For a program of the whole screen that had no time to put it back: colours, keys, mouse, pastes, cursor, the screen of before, all its rows.
 * Where the cursor was there nobody knows: below the last row nothing is written over.
 */
export const asShellsHaveIt = `\x1b[m\x1b[?1l\x1b>\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1006l${pasteOff}\x1b[?1047l\x1b[r\x1b[?25h\x1b[999;1H\n`;

/** Kitty's protocol: keys that would be ambiguous, and where they are on a Latin keyboard. It is pushed on a stack of the terminal's. */
const kitty: KeyModes = { on: "\x1b[>5u", off: "\x1b[<u" };
/** xterm's modifyOtherKeys, for keys that have no meaning of their own. */
const xterm: KeyModes = { on: "\x1b[>4;1m", off: "\x1b[>4m" };
const none: KeyModes = { on: "", off: "" };

const kittyTerms = /^(?:xterm-kitty|xterm-ghostty|ghostty|foot(?:-.*)?|alacritty(?:-.*)?)$/u;
const kittyPrograms: ReadonlySet<string | undefined> = new Set(["ghostty", "iTerm.app", "kitty", "rio", "WezTerm"]);

export function terminalModes(env: Readonly<Record<string, string | undefined>>): TerminalModes {
  if (env["TERM"] === "dumb")
    return { ...none, again: "", hasShown: /,(?:comint|eshell)/u.test(env["INSIDE_EMACS"] ?? "") };
  const keys = keyModes(env);
  return { on: pasteOn + keys.on, off: keys.off + pasteOff, again: pasteOn };
}

/** Vim and Neovim, and vterm of Emacs. Newer ones break rows anew: there the prompt is left twice, where elsewhere what stands above it would go. */
function isEditor(env: Readonly<Record<string, string | undefined>>): boolean {
  return isSet(env["VIM_TERMINAL"]) || isSet(env["NVIM"]) || (env["INSIDE_EMACS"] ?? "").endsWith(",vterm");
}

/** Their variables are seen in tmux and screen that run within them, too. */
const multiplexerTerms = /^(?:screen|tmux)/u;
const cuttingTerms = /^(?:linux|(?:screen|st|putty|mlterm)(?:[.-].*)?)$/u;
/** They are made of xterm.js, which leaves the cursor's line to the program. */
const xtermJsPrograms: ReadonlySet<string | undefined> = new Set(["vscode", "Hyper", "Tabby"]);

export function terminalKind(env: Readonly<Record<string, string | undefined>>): TerminalKind {
  const { TERM: term = "", TERM_PROGRAM: program } = env;
  if (term === "dumb") return "dumb";
  if (isEditor(env) && !multiplexerTerms.test(term)) return "cuts";
  if (isSet(env["TMUX"])) return "rewraps";
  // mosh says nothing else of itself; people set it for PuTTY.
  const isFar = isSet(env["NCURSES_NO_UTF8_ACS"]);
  if (isFar || isSet(env["STY"]) || isSet(env["XTERM_VERSION"]) || cuttingTerms.test(term)) return "cuts";
  if (term.startsWith("rxvt")) return "rewrapsToStart";
  return xtermJsPrograms.has(program) ? "rewrapsAbove" : "rewraps";
}

function keyModes(env: Readonly<Record<string, string | undefined>>): KeyModes {
  const { TERM: term = "", TERM_PROGRAM: program } = env;
  // The outer terminal's variables are seen inside of these, too.
  if (isSet(env["TMUX"])) return xterm;
  if (isSet(env["STY"]) || isSet(env["ZELLIJ"])) return none;
  if (kittyTerms.test(term) || kittyPrograms.has(program)) return kitty;
  return isSet(env["XTERM_VERSION"]) || program === "mintty" ? xterm : none;
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}
