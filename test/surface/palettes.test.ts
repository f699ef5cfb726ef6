import { describe, expect, test } from "vitest";
import type { Theme } from "../../src/protocol/theme.ts";
import { renderMarkdown } from "../../src/surface/line/markdown/markdown.ts";
import { quoteBehindBar } from "../../src/surface/line/quote-bar.ts";
import { styleFor, type Style } from "../../src/surface/show/style.ts";

const env = { TERM: "xterm-256color" };
const themed = (theme: Theme, more: Record<string, string> = {}): Style =>
  styleFor(true, { ...env, ...more }, false, theme);

type Colour = readonly [red: number, green: number, blue: number];

/** Linear red, green and blue, from 0 to 1 (WCAG 2). */
function linear(colour: Colour): Colour {
  const [red = 0, green = 0, blue = 0] = colour
    .map((value) => value / 255)
    .map((value) => (value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return [red, green, blue];
}

function luminance(colour: Colour): number {
  const [red, green, blue] = linear(colour);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
/** The contrast of WCAG 2, from 1 to 21. */
function contrast(one: Colour, other: Colour): number {
  const [less = 0, more = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (more + 0.05) / (less + 0.05);
}

/** One of the colours 16 to 255, as xterm and all after it have them. */
function fixedColour(number: number): Colour {
  if (number >= 232) return [8 + 10 * (number - 232), 8 + 10 * (number - 232), 8 + 10 * (number - 232)];
  const level = (place: number): number => [0, 95, 135, 175, 215, 255][Math.floor((number - 16) / place) % 6]!;
  return [level(36), level(6), level(1)];
}

function colourOf(shown: string): Colour {
  const [, number] = new RegExp(String.raw`^\x1b\[38;5;(\d+)m`, "u").exec(shown) ?? [];
  return fixedColour(Number(number));
}

const whites: Record<string, Colour> = {
  white: [255, 255, 255],
  "light grey": [238, 238, 238],
  "Solarized Light": [253, 246, 227],
};
const blacks: Record<string, Colour> = {
  black: [0, 0, 0],
  "the grey of editors": [30, 30, 30],
  "One Dark": [40, 44, 52],
  "Solarized Dark": [0, 43, 54],
};

describe.each(Object.entries(whites))("on %s", (_name, background) => {
  test.each(["dim", "note", "red", "green", "yellow", "code"] as const)("%s can be read in the light theme", (kind) => {
    for (const theme of ["light", "light-daltonized"] as const)
      expect(contrast(colourOf(themed(theme)[kind]("x")), background)).toBeGreaterThanOrEqual(4.5);
  });

  test("the squares of /context can be seen in the light theme", () => {
    for (const name of ["gray", "green", "yellow", "blue", "magenta", "cyan"])
      for (const each of [name, `bright${name[0]!.toUpperCase()}${name.slice(1)}`]) {
        const shown = themed("light").paint(each, "■");
        if (shown !== "■") expect([each, contrast(colourOf(shown), background) >= 3]).toEqual([each, true]);
      }
  });
});

describe.each(Object.entries(blacks))("on %s", (_name, background) => {
  test.each(["red", "green", "yellow"] as const)("%s can be read in the theme dark-daltonized", (kind) => {
    expect(contrast(colourOf(themed("dark-daltonized")[kind]("x")), background)).toBeGreaterThanOrEqual(4.5);
  });
});

/** What is left of linear red, green and blue (Machado, Oliveira and Fernandes 2009, at full severity). */
const blindness: Record<string, readonly Colour[]> = {
  protanopia: [
    [0.152_286, 1.052_583, -0.204_868],
    [0.114_503, 0.786_281, 0.099_216],
    [-0.003_882, -0.048_116, 1.051_998],
  ],
  deuteranopia: [
    [0.367_322, 0.860_646, -0.227_968],
    [0.280_085, 0.672_501, 0.047_413],
    [-0.011_82, 0.042_94, 0.968_881],
  ],
};

/** CIELAB (white D65) of linear red, green and blue. */
function perceive(colour: Colour): Colour {
  const [red = 0, green = 0, blue = 0] = colour.map((value) => Math.min(1, Math.max(0, value)));
  const root = (value: number): number => (value > 0.008_856 ? Math.cbrt(value) : 7.787 * value + 16 / 116);
  const x = root(0.4339 * red + 0.3763 * green + 0.1899 * blue);
  const y = root(0.2126 * red + 0.7152 * green + 0.0722 * blue);
  const z = root(0.0177 * red + 0.1095 * green + 0.8729 * blue);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

type Kind = "red" | "green" | "yellow";

/** How different two colours of a theme look to such a person: 2 is just seen side by side. */
function difference(theme: Theme, one: Kind, other: Kind, left: readonly Colour[]): number {
  const [a = [0], b = [0]] = [one, other].map((kind) => {
    const [red, green, blue] = linear(colourOf(themed(theme)[kind]("x")));
    const [r = 0, g = 0, b = 0] = left.map((row) => row[0] * red + row[1] * green + row[2] * blue);
    return perceive([r, g, b]);
  });
  return Math.hypot(...a.map((value, at) => value - (b[at] ?? 0)));
}

describe.each(Object.entries(blindness))("with %s", (_name, left) => {
  test.each<Theme>(["dark-daltonized", "light-daltonized"])(
    "what is added, removed and warned of differs in the theme %s",
    (theme) => {
      expect(difference(theme, "red", "green", left)).toBeGreaterThan(40);
      expect(difference(theme, "red", "yellow", left)).toBeGreaterThan(40);
    },
  );

  test("what is added and removed looks alike in the theme light, so people need another", () => {
    expect(difference("light", "red", "green", left)).toBeLessThan(20);
  });
});

test.each<[Theme, Record<string, string>, warning: string, added: string]>([
  ["light", {}, "38;5;94", "38;5;22"],
  ["light-daltonized", {}, "38;5;90", "38;5;25"],
  ["light-daltonized", { TERM: "xterm" }, "35", "34"],
  ["light", { TERM: "xterm" }, "35", "34"],
  ["light", { TERM: "xterm", COLORTERM: "truecolor" }, "38;5;94", "38;5;22"],
  ["light-ansi", {}, "35", "34"],
  ["light", { COLORFGBG: "15;0" }, "38;5;94", "38;5;22"],
  ["dark", { COLORFGBG: "0;15" }, "33", "32"],
  ["dark-ansi", {}, "33", "32"],
  ["dark-daltonized", {}, "38;5;229", "38;5;75"],
  ["dark-daltonized", { TERM: "xterm" }, "33", "36"],
  ["auto", { COLORFGBG: "0;15" }, "38;5;94", "38;5;22"],
  ["auto", { COLORFGBG: "15;0" }, "33", "32"],
  ["auto", {}, "33", "32"],
])("the theme %s with %j has its colours", (theme, more, warning, added) => {
  const style = themed(theme, more);
  expect(style.yellow("w")).toBe(`\x1b[${warning}mw\x1b[39m`);
  expect(style.green("+")).toBe(`\x1b[${added}m+\x1b[39m`);
  expect(themed(theme, { ...more, NO_COLOR: "1" }).yellow("w")).toBe("w");
});

test("a fixed colour that goes over several rows is ended and begun again in each", () => {
  const style = themed("light");
  const code = `\`${"one two ".repeat(4).trim()}\``;
  const rendered = (theme: Theme): string[] =>
    renderMarkdown(`Text ${code} end\n`, themed(theme), 20).trimEnd().split("\n");
  const rows = rendered("light");
  const bare = (row: string): string => row.replaceAll(new RegExp(String.raw`\x1b\[[\d;]+m`, "gu"), "");
  expect(rows.map(bare)).toEqual(rendered("dark").map(bare));
  expect(rows.length).toBeGreaterThan(1);
  for (const row of rows) expect(row.split("\x1b[38;5;25m")).toHaveLength(row.split("\x1b[39m").length);
  const barred = quoteBehindBar(style.green("x".repeat(30)), style, 20).map((row) => row.replace(/^.*?│|^.*?┆/u, ""));
  expect(barred).toEqual([
    `\x1b[39m \x1b[38;5;22m${"x".repeat(20)}\x1b[39m`,
    `\x1b[39m \x1b[38;5;22m${"x".repeat(10)}\x1b[39m`,
  ]);
});
