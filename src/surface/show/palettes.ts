/** The colours for a dark and for a light background, as parameters of the sequence that chooses a colour of text. */
import type { Environment } from "../../lib/environment.ts";
import type { Theme } from "../../protocol/theme.ts";

export type Background = "dark" | "light";

export interface Palette {
  /** The parameters of dim text, and of the sequence that ends it. */
  dim: readonly [on: string, off: string];
  red: string;
  green: string;
  warning: string;
  /** Code in a line of prose. */
  code: string;
  /** What `Style.paint` knows by name. */
  named: Readonly<Partial<Record<string, string>>>;
}

const faint = ["2", "22"] as const;

/** The terminal's own colours. */
const darkPalette: Palette = {
  dim: faint,
  red: "31",
  green: "32",
  warning: "33",
  code: "36",
  named: {
    green: "32",
    yellow: "33",
    blue: "34",
    magenta: "35",
    cyan: "36",
    gray: "90",
    brightGreen: "92",
    brightYellow: "93",
    brightBlue: "94",
    brightMagenta: "95",
    brightCyan: "96",
  },
};

/** Of the terminal's own colours, only these have a contrast of 4.5 on white in the usual schemes: green, yellow and cyan have 1.7 to 4. */
const basicLightPalette: Palette = { ...darkPalette, green: "34", warning: "35", code: "34" };

/**
 * Of the 256 colours, which are alike in all terminals: text has a contrast of at least 4.5 on white, on light grey and on the
 * background of Solarized Light, and squares have at least 3. Dim text is grey, since many terminals draw faint text too pale on white.
 */
const lightPalette: Palette = {
  dim: ["38;5;241", "39"],
  red: "38;5;124",
  green: "38;5;22",
  warning: "38;5;94",
  code: "38;5;25",
  named: {
    green: "38;5;22",
    yellow: "38;5;94",
    blue: "38;5;25",
    magenta: "38;5;90",
    cyan: "38;5;30",
    gray: "38;5;241",
    brightGreen: "38;5;64",
    brightYellow: "38;5;130",
    brightBlue: "38;5;62",
    brightMagenta: "38;5;133",
    brightCyan: "38;5;31",
  },
};

/**
 * For people who see red and green alike: blue in place of green. Of what differs only in red and green, one is much lighter or has
 * much more blue. On black, on the greys of editors and on the background of Solarized Dark, text has a contrast of at least 4.5.
 */
const daltonizedDarkPalette: Palette = { ...darkPalette, red: "38;5;208", green: "38;5;75", warning: "38;5;229" };
const basicDaltonizedDarkPalette: Palette = { ...darkPalette, green: "36" };
const daltonizedLightPalette: Palette = { ...lightPalette, green: "38;5;25", warning: "38;5;90" };

export function paletteFor(background: Background, env: Environment, theme: Theme): Palette {
  const isBasic = theme.endsWith("-ansi") || !hasManyColours(env);
  const isDaltonized = theme.endsWith("-daltonized");
  if (background === "light") {
    if (isBasic) return basicLightPalette;
    return isDaltonized ? daltonizedLightPalette : lightPalette;
  }
  if (!isDaltonized) return darkPalette;
  return isBasic ? basicDaltonizedDarkPalette : daltonizedDarkPalette;
}

const manyColours = /256|direct|kitty|ghostty|alacritty|foot|wezterm/u;

function hasManyColours(env: Environment): boolean {
  return (env["COLORTERM"] ?? "") !== "" || manyColours.test(env["TERM"] ?? "");
}
