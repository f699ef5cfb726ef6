/** Reads the colour in a terminal's answer to the question for its background (OSC 11), as in `ESC ] 11 ; rgb:ffff/ffff/ffff BEL`. */
import type { Background } from "../show/palettes.ts";

const level = "([0-9a-f]{1,4})";
/** XParseColor's `rgb:`, with 1 to 4 digits a level, and `rgba:`, whose opacity says nothing about what is behind. */
const colour = new RegExp(
  String.raw`^\x1b\]11;rgba?:${level}/${level}/${level}(?:/[0-9a-f]{1,4})?(?:\x07|\x1b\\)$`,
  "iu",
);

/** Above it, black text has more contrast than white text (WCAG 2). */
const middleLuminance = 0.179;

/** Returns undefined if the answer is to another question, or none that can be read. */
export function backgroundIn(answer: string): Background | undefined {
  const [, ...levels] = colour.exec(answer) ?? [];
  if (levels.length === 0) return undefined;
  const [red = 0, green = 0, blue = 0] = levels.map((digits) =>
    linear(Number.parseInt(digits, 16) / (16 ** digits.length - 1)),
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > middleLuminance ? "light" : "dark";
}

/** From sRGB; both from 0 to 1. */
function linear(value: number): number {
  return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}
