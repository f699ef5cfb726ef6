/** Terminal styles: a few colours; none if they are not wanted (NO_COLOR, TERM=dumb, no terminal) or for a screen reader. */
import type { Environment } from "../../lib/environment.ts";
import type { Theme } from "../../protocol/theme.ts";
import { paletteFor, type Background } from "./palettes.ts";
import { drawnMarks, spokenMarks, type Marks } from "./marks.ts";

export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  /** A quiet message of pawl's own. */
  note(text: string): string;
  italic(text: string): string;
  red(text: string): string;
  green(text: string): string;
  /** A warning. */
  yellow(text: string): string;
  /** Code in a line of prose. */
  code(text: string): string;
  /** Colours text by the name of a basic colour. Unknown names change nothing. */
  paint(color: string, text: string): string;
  /** Chooses the colours of all later text. Undefined if the background makes no difference or is known already. */
  onBackground?: ((background: Background) => void) | undefined;
  /** There are no colours, so signs must make the difference. */
  isPlain: boolean;
  /** For a screen reader: nothing is drawn, and nothing written is erased. */
  isSpoken: boolean;
  marks: Marks;
}

const unchanged = (text: string): string => text;
export const plainStyle: Style = {
  bold: unchanged,
  dim: unchanged,
  note: unchanged,
  italic: unchanged,
  red: unchanged,
  green: unchanged,
  yellow: unchanged,
  code: unchanged,
  paint: (_color, text) => text,
  isPlain: true,
  isSpoken: false,
  marks: drawnMarks,
};

const spokenStyle: Style = {
  ...plainStyle,
  note: (text) => spokenMarks.dim + text,
  isSpoken: true,
  marks: spokenMarks,
};

function sgr(on: number | string, off: number | string): (text: string) => string {
  return (text) => (text === "" ? "" : `\x1b[${on}m${text}\x1b[${off}m`);
}

function colouredStyle(env: Environment, theme: Theme): Style {
  const chosen = backgroundOf(theme) ?? backgroundInVariable(env);
  let palette = paletteFor(chosen ?? "dark", env, theme);
  const colour =
    (key: "red" | "green" | "warning" | "code") =>
    (text: string): string =>
      sgr(palette[key], 39)(text);
  const dim = (text: string): string => sgr(...palette.dim)(text);
  return {
    bold: sgr(1, 22),
    dim,
    note: dim,
    italic: sgr(3, 23),
    red: colour("red"),
    green: colour("green"),
    yellow: colour("warning"),
    code: colour("code"),
    paint(name, text) {
      const code = palette.named[name];
      return code === undefined ? text : sgr(code, 39)(text);
    },
    onBackground: chosen === undefined ? (found) => (palette = paletteFor(found, env, theme)) : undefined,
    isPlain: false,
    isSpoken: false,
    marks: drawnMarks,
  };
}

function backgroundOf(theme: Theme): Background | undefined {
  if (theme === "auto") return undefined;
  return theme.startsWith("light") ? "light" : "dark";
}

/** The variable names the basic colours of text and background, such as "0;15" or "0;default;15". Konsole, iTerm2 and rxvt set it. */
function backgroundInVariable(env: Environment): Background | undefined {
  const [, colour] = /;(\d+)$/u.exec(env["COLORFGBG"] ?? "") ?? [];
  if (colour === undefined) return undefined;
  return colour === "7" || colour === "15" ? "light" : "dark";
}

/** `theme` is the setting of that name. */
export function styleFor(isTerminal: boolean, env: Environment, isSpoken = false, theme: Theme = "auto"): Style {
  if (isSpoken) return spokenStyle;
  if (!isTerminal || (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb") return plainStyle;
  return colouredStyle(env, theme);
}
