/**
 * What a terminal can do, as far as its environment tells, and the modes to set while a person types and to restore afterwards. The
 * request to mark pastes goes to all terminals, since those that do not know it ignore it. The request to distinguish Shift+Enter
 * from Enter goes only to terminals known to understand it.
 */
import type { Environment } from "../../lib/environment.ts";
import { pasteOff, pasteOn } from "./keys.ts";

/**
 * `dumb`: the terminal cannot move its cursor. The other kinds differ in what a change of width does: most terminals wrap all lines
 * again (`rewraps`); those of editors and browsers wrap all but the cursor's line (`rewrapsAbove`); urxvt also moves the cursor to
 * its line's first row (`rewrapsToStart`); old ones cut their rows off (`cuts`).
 */
export type TerminalKind = "dumb" | "cuts" | "rewrapsAbove" | "rewrapsToStart" | "rewraps";

export interface TerminalModes {
  on: string;
  off: string;
  /** Sets the modes again after a shell had the terminal. */
  restore: string;
  /** The terminal shows a line before it sends it, as shells in Emacs do. */
  hasShown?: boolean;
}

type KeyModes = Pick<TerminalModes, "on" | "off">;

/**
 * Restores the terminal after a killed full-screen program: colours, keys, mouse, pastes, cursor, main screen, scroll region. Where
 * the cursor was is unknown, so it goes below the last row, where nothing is overwritten.
 */
export const terminalReset = `\x1b[m\x1b[?1l\x1b>\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1006l${pasteOff}\x1b[?1047l\x1b[r\x1b[?25h\x1b[999;1H\n`;

/** Kitty's protocol: reports ambiguous keys, and their place on a Latin keyboard. The mode is pushed on a stack of the terminal. */
const kittyKeyModes: KeyModes = { on: "\x1b[>5u", off: "\x1b[<u" };
/** xterm's modifyOtherKeys, for key combinations without a traditional encoding. */
const xtermKeyModes: KeyModes = { on: "\x1b[>4;1m", off: "\x1b[>4m" };
const noKeyModes: KeyModes = { on: "", off: "" };

const kittyTerms = /^(?:xterm-kitty|xterm-ghostty|ghostty|foot(?:-.*)?|alacritty(?:-.*)?)$/u;
const kittyPrograms: ReadonlySet<string | undefined> = new Set(["ghostty", "iTerm.app", "kitty", "rio", "WezTerm"]);

export function terminalModes(env: Environment): TerminalModes {
  if (env["TERM"] === "dumb")
    return { ...noKeyModes, restore: "", hasShown: /,(?:comint|eshell)/u.test(env["INSIDE_EMACS"] ?? "") };
  const keys = keyModes(env);
  return { on: pasteOn + keys.on, off: keys.off + pasteOff, restore: pasteOn };
}

/** Vim, Neovim, and vterm of Emacs. Newer versions rewrap: there the prompt shows twice, but else text above it would be erased. */
function isEditorTerminal(env: Environment): boolean {
  return isSet(env["VIM_TERMINAL"]) || isSet(env["NVIM"]) || (env["INSIDE_EMACS"] ?? "").endsWith(",vterm");
}

/** TERM in tmux and screen. The variables of an outer terminal are set inside them, too. */
const multiplexerTerms = /^(?:screen|tmux)/u;
const cuttingTerms = /^(?:linux|(?:screen|st|putty|mlterm)(?:[.-].*)?)$/u;
/** Programs that use xterm.js, which does not rewrap the cursor's line. */
const xtermJsPrograms: ReadonlySet<string | undefined> = new Set(["vscode", "Hyper", "Tabby"]);

export function terminalKind(env: Environment): TerminalKind {
  const { TERM: term = "", TERM_PROGRAM: program } = env;
  if (term === "dumb") return "dumb";
  if (isEditorTerminal(env) && !multiplexerTerms.test(term)) return "cuts";
  if (isSet(env["TMUX"])) return "rewraps";
  // mosh sets only this variable; people set it for PuTTY, too.
  const isFar = isSet(env["NCURSES_NO_UTF8_ACS"]);
  if (isFar || isSet(env["STY"]) || isSet(env["XTERM_VERSION"]) || cuttingTerms.test(term)) return "cuts";
  if (term.startsWith("rxvt")) return "rewrapsToStart";
  return xtermJsPrograms.has(program) ? "rewrapsAbove" : "rewraps";
}

function keyModes(env: Environment): KeyModes {
  const { TERM: term = "", TERM_PROGRAM: program } = env;
  // The outer terminal's variables are set inside these multiplexers, too.
  if (isSet(env["TMUX"])) return xtermKeyModes;
  if (isSet(env["STY"]) || isSet(env["ZELLIJ"])) return noKeyModes;
  if (kittyTerms.test(term) || kittyPrograms.has(program)) return kittyKeyModes;
  return isSet(env["XTERM_VERSION"]) || program === "mintty" ? xtermKeyModes : noKeyModes;
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}
