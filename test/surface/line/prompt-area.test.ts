import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lineEnd } from "../../../src/surface/line/paste.ts";
import { PromptArea } from "../../../src/surface/line/prompt-area.ts";
import { Rows } from "../../../src/surface/line/rows.ts";
import { Grid } from "./grid.ts";

/** Rows as a terminal of this width breaks them. */
function broken(text: string, columns: number): string[] {
  return Array.from({ length: Math.max(1, Math.ceil(text.length / columns)) }, (_, row) =>
    text.slice(row * columns, (row + 1) * columns).trimEnd(),
  );
}

describe("the prompt on its rows", () => {
  test("whatever is typed and wherever, what stands above is not touched, and nothing is left behind", () => {
    const texts = fc.string({ unit: fc.constantFrom("a", "b", " ", "c"), maxLength: 70 });
    const steps = fc.array(fc.tuple(texts, fc.double({ min: 0, max: 1, noNaN: true })), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 12 }), steps, (columns, typed) => {
        const grid = new Grid(columns, 40);
        grid.write("up\n");
        const area = new PromptArea(grid, false);
        for (const [text, share] of typed) {
          const cursor = Math.floor(share * text.length);
          area.paint({ prompt: "> ", text, cursor });
          const shown = grid.text;
          while (shown.at(-1) === "") shown.pop();
          const want = broken(`> ${text}`.trimEnd(), columns);
          expect(shown).toEqual(["up", ...want]);
          const at = 2 + cursor;
          expect([grid.row, grid.column]).toEqual([1 + Math.floor(at / columns), at % columns]);
        }
        const [last = ""] = typed.at(-1) ?? [];
        area.end("> ", last);
        grid.write("n");
        expect(grid.text).toEqual(["up", ...broken(`> ${last}`, columns), "n"]);
      }),
    );
  });

  test("text that is taller than the terminal shows the rows around the cursor, and all of it once it is sent", () => {
    const grid = new Grid(10, 4);
    const area = new PromptArea(grid, false);
    const text = Array.from({ length: 10 }, (_, row) => `row ${row}....`).join("");
    for (let at = text.length; at >= 0; at -= 7) area.paint({ prompt: "", text, cursor: at });
    expect(grid.text.slice(0, 3)).toEqual(["row 0....r", "ow 1....ro", "w 2....row"]);
    expect(grid.lines).toHaveLength(3);
    area.end("", text);
    expect(grid.text.slice(0, -1)).toEqual(broken(text, 10));
  });

  test("a terminal that becomes narrower or wider has it once", () => {
    for (const columns of [10, 45]) {
      const grid = new Grid(20, 10);
      grid.write("above\n");
      const area = new PromptArea(grid, false);
      const text = "abcdefghij".repeat(5);
      area.paint({ prompt: "> ", text, cursor: text.length });
      // As terminals do it: rows that went on are broken anew, and the cursor stays behind its character.
      grid.columns = columns;
      const rows = broken(`> ${text}`, columns);
      grid.lines = ["above", ...rows].map((row) => row.split(""));
      grid.row = rows.length;
      grid.column = rows.at(-1)?.length ?? 0;
      area.resized();
      expect(grid.text).toEqual(["above", ...rows]);
    }
  });

  test("what hides in a paste is shown, and its line ends are told from a ␤ in it", () => {
    const grid = new Grid(80, 4);
    const area = new PromptArea(grid, false);
    const text = `a\u202ebc${lineEnd}d␤\te`;
    area.paint({ prompt: "> ", text, cursor: text.length });
    expect(grid.text).toEqual(["> a<U+202E>bc␤d␤        e"]);
  });

  test("a terminal that cannot move its cursor gets no sequences; a character taken back is overwritten", () => {
    let written = "";
    const area = new PromptArea({ write: (text) => (written += text) }, true);
    for (const text of ["abc", "abcde", "abc", "aXbc"]) area.paint({ prompt: "> ", text, cursor: 1 });
    area.end("> ", "aXbc");
    expect(written).toBe("> abcde\b \b\b \b\n> aXbc\n");
  });
});

describe("rows", () => {
  test("count what a terminal counts: wide characters, joined ones, flags, tabs", () => {
    const after = (text: string): unknown => {
      const rows = new Rows(10);
      rows.add(text);
      return [rows.at.row, rows.at.column, rows.lines.length];
    };
    expect(after("日本語")).toEqual([0, 6, 1]);
    expect(after("e\u0301é")).toEqual([0, 2, 1]);
    expect(after("👩‍👩‍👧👍🏽")).toEqual([0, 4, 1]);
    expect(after("🇩🇪🇫🇷")).toEqual([0, 4, 1]);
    expect(after("a\tb")).toEqual([0, 9, 1]);
    expect(after("日本語日本")).toEqual([1, 0, 1]);
    expect(after("a日本語日本")).toEqual([1, 2, 2]);
  });
});
