/** Terminal styles: a few colours; none if they are not wanted (NO_COLOR, TERM=dumb, no terminal) or for a screen reader. */
import type { Environment } from "../../lib/environment.ts";
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

function sgr(on: number, off: number): (text: string) => string {
  return (text) => (text === "" ? "" : `\x1b[${on}m${text}\x1b[${off}m`);
}

const colourCodes: Partial<Record<string, number>> = {
  green: 32,
  yellow: 33,
  blue: 34,
  magenta: 35,
  cyan: 36,
  gray: 90,
  brightGreen: 92,
  brightYellow: 93,
  brightBlue: 94,
  brightMagenta: 95,
  brightCyan: 96,
};

const colouredStyle: Style = {
  bold: sgr(1, 22),
  dim: sgr(2, 22),
  note: sgr(2, 22),
  italic: sgr(3, 23),
  red: sgr(31, 39),
  green: sgr(32, 39),
  yellow: sgr(33, 39),
  code: sgr(36, 39),
  paint(color, text) {
    const code = colourCodes[color];
    return code === undefined ? text : sgr(code, 39)(text);
  },
  isPlain: false,
  isSpoken: false,
  marks: drawnMarks,
};

/** On white, yellow and cyan have a contrast of about 2, which is not enough to read: magenta and blue take their places. */
const lightStyle: Style = { ...colouredStyle, yellow: sgr(35, 39), code: sgr(34, 39) };

/** The variable names the basic colours of text and background, such as "0;15" or "0;default;15". Konsole, iTerm2 and rxvt set it. */
const lightBackground = /;(?:7|15)$/u;

export function styleFor(isTerminal: boolean, env: Environment, isSpoken = false): Style {
  if (isSpoken) return spokenStyle;
  if (!isTerminal || (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb") return plainStyle;
  return lightBackground.test(env["COLORFGBG"] ?? "") ? lightStyle : colouredStyle;
}
