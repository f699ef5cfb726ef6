import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { statusRows } from "../../../src/surface/line/status-rows.ts";
import { stripControls } from "../../../src/lib/sanitize.ts";
import { plainStyle, styleFor } from "../../../src/surface/show/style.ts";
import { displayWidth } from "../../../src/surface/line/width.ts";
import { characters } from "./characters.ts";

const coloured = styleFor(true, {});
const rows = (text: string, columns = 40, given: { padding?: number; style?: typeof plainStyle; most?: number } = {}) =>
  statusRows({ text, style: given.style ?? coloured, padding: given.padding ?? 0 }, given.most ?? 9, columns);
const escapes = new RegExp(String.raw`\x1b\[[\d;:]*[mG]`, "gu");

describe("statusRows", () => {
  test("puts each line below the prompt's text with its colours", () => {
    expect(rows("\x1b[32mgreen\x1b[0m and\n\x1b[1;38;2;1;2;3mbold\x1b[m\n")).toEqual([
      "  \x1b[32mgreen\x1b[0m and\x1b[0m",
      "  \x1b[1;38;2;1;2;3mbold\x1b[m\x1b[0m",
    ]);
  });

  test("dims text without colours, and removes colours if they are not wanted", () => {
    expect(rows("main +2")).toEqual(["  \x1b[2mmain +2\x1b[22m".replace("  \x1b[2m", "\x1b[2m  ")]);
    expect(rows("\x1b[31mred\x1b[0m", 40, { style: plainStyle })).toEqual(["  red"]);
  });

  test("continues an open colour in the next row, and resets it at the end", () => {
    expect(rows("\x1b[1m\x1b[31ma\nb\x1b[0;32mc\nd")).toEqual([
      "  \x1b[1m\x1b[31ma\x1b[0m",
      "  \x1b[1m\x1b[31mb\x1b[0;32mc\x1b[0m",
      "  \x1b[0;32md\x1b[0m",
    ]);
  });

  test("indents by the padding, up to the middle of the row", () => {
    expect(rows("x", 20, { padding: 3, style: plainStyle })).toEqual(["     x"]);
    for (const padding of [-4, 0.9]) expect(rows("x", 20, { padding, style: plainStyle })).toEqual(["  x"]);
    expect(rows("x", 20, { padding: 999, style: plainStyle })).toEqual([`${" ".repeat(10)}x`]);
  });

  test("cuts a long row with a mark, counting the width of wide characters", () => {
    expect(rows("\x1b[31m0123456789\x1b[0m rest", 8)).toEqual(["  \x1b[31m01234…\x1b[0m"]);
    expect(rows("0123456789", 12, { style: plainStyle })).toEqual(["  0123456789"]);
    expect(rows("日本語日本", 9, { style: plainStyle })).toEqual(["  日本語…"]);
    expect(rows("❤️ on", 30, { style: plainStyle })).toEqual(["  ❤️\x1b[5G on"]);
    expect(rows("a\tb", 30, { style: plainStyle })).toEqual([`  a${" ".repeat(7)}b`]);
  });

  test("removes sequences that move the cursor or set a title, and keeps links as text", () => {
    const printed =
      "\x1b]0;title\x07a\x1b[2Jb\x1b[5;5H\x1b]52;c;aGk=\x07c\x1b]8;;https://x.example\x07link\x1b]8;;\x07\x07\x9b31m\x1bc";
    expect(rows(printed, 40, { style: plainStyle })).toEqual(["  abclink"]);
    expect(rows("one\rtwo\r\nthree", 40, { style: plainStyle })).toEqual(["  one", "  two", "  three"]);
    expect(rows("a\u202eb", 40, { style: plainStyle })).toEqual(["  a<U+202E>b"]);
  });

  test("returns no rows for output without visible text", () => {
    for (const text of ["", "\n", " \t\n\n", "\x1b[31m\x1b[0m\n", "\x1b]0;title\x07"]) expect(rows(text)).toEqual([]);
    expect(rows("\n\n  a\n\nb\n\n", 40, { style: plainStyle })).toEqual(["    a", "", "  b"]);
  });

  test("returns at most the free rows, and never more than eight", () => {
    const many = Array.from({ length: 50 }, (_, line) => `line ${line}`).join("\n");
    expect(rows(many, 40, { style: plainStyle, most: 2 })).toEqual(["  line 0", "  line 1"]);
    expect(rows(many, 40, { most: 30 })).toHaveLength(8);
    for (const most of [0, -1]) expect(rows(many, 40, { most })).toEqual([]);
    expect(rows("x".repeat(1_000_000), 40)).toHaveLength(1);
  });

  test("never exceeds the terminal's width, and keeps only colours and cursor columns", () => {
    const unit = fc.constantFrom(
      ...characters.map(([character]) => character),
      ..."\n \t \r \x1b[31m \x1b[0m \x1b[1;4m \x1b[ \x1b]8;; \x07 \x1b\\ \x1b[2J \x9b \x1b \u200b ;".split(" "),
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 60, size: "max" }), fc.integer({ min: 2, max: 30 }), (units, columns) => {
        for (const style of [plainStyle, coloured])
          for (const row of rows(units.join(""), columns, { style })) {
            const bare = row.replaceAll(escapes, "");
            expect(bare).toBe(stripControls(bare).replaceAll(/[\n\t]/gu, ""));
            expect(displayWidth(bare)).toBeLessThanOrEqual(columns);
          }
      }),
      { numRuns: 500 },
    );
  });
});
