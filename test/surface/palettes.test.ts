import { describe, expect, test } from "vitest";
import type { Theme } from "../../src/protocol/theme.ts";
import { renderMarkdown } from "../../src/surface/line/markdown/markdown.ts";
import { quoteBehindBar } from "../../src/surface/line/quote-bar.ts";
import { styleFor, type Style } from "../../src/surface/show/style.ts";

const env = { TERM: "xterm-256color" };
const themed = (theme: Theme, more: Record<string, string> = {}): Style =>
  styleFor(true, { ...env, ...more }, false, theme);

type Colour = readonly [red: number, green: number, blue: number];

/** The relative luminance and the contrast of WCAG 2. */
function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour
    .map((value) => value / 255)
    .map((value) => (value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
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

describe.each(Object.entries(whites))("on %s", (_name, background) => {
  test.each(["dim", "note", "red", "green", "yellow", "code"] as const)("%s can be read in the light theme", (kind) => {
    expect(contrast(colourOf(themed("light")[kind]("x")), background)).toBeGreaterThanOrEqual(4.5);
  });

  test("the squares of /context can be seen in the light theme", () => {
    for (const name of ["gray", "green", "yellow", "blue", "magenta", "cyan"])
      for (const each of [name, `bright${name[0]!.toUpperCase()}${name.slice(1)}`]) {
        const shown = themed("light").paint(each, "■");
        if (shown !== "■") expect([each, contrast(colourOf(shown), background) >= 3]).toEqual([each, true]);
      }
  });
});

test.each<[Theme, Record<string, string>, warning: string, added: string]>([
  ["light", {}, "38;5;94", "38;5;22"],
  ["light-daltonized", {}, "38;5;94", "38;5;22"],
  ["light", { TERM: "xterm" }, "35", "34"],
  ["light", { TERM: "xterm", COLORTERM: "truecolor" }, "38;5;94", "38;5;22"],
  ["light-ansi", {}, "35", "34"],
  ["light", { COLORFGBG: "15;0" }, "38;5;94", "38;5;22"],
  ["dark", { COLORFGBG: "0;15" }, "33", "32"],
  ["dark-ansi", {}, "33", "32"],
  ["dark-daltonized", {}, "33", "32"],
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
