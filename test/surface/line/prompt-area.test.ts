import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PromptArea } from "../../../src/surface/line/prompt-area.ts";
import { rowEnd, Rows } from "../../../src/surface/line/rows.ts";
import { clearRowAndBelow } from "../../../src/surface/line/screen.ts";
import { sanitize } from "../../../src/lib/sanitize.ts";
import { broken, characters } from "./characters.ts";
import { Grid } from "./grid.ts";

const inverse = new RegExp(String.raw`\x1b\[2?7m`, "gu");
const selected = new RegExp(String.raw`\x1b\[7m(.*?)\x1b\[27m`, "gsu");
const place = new RegExp(String.raw`\x1b\[\d+G`, "gu");

describe("PromptArea", () => {
  test.each([false, true])(
    "shows any text and cursor without touching rows above or leaving anything behind (spoken: %s)",
    (isSpoken) => {
      const unit = fc.constantFrom("\n", ...characters.map(([character]) => character));
      const typing = fc.tuple(
        fc.array(unit, { maxLength: 40, size: "max" }),
        fc.double({ min: 0, max: 1, noNaN: true }),
      );
      const steps = fc.array(typing, { minLength: 1, maxLength: 8 });
      fc.assert(
        fc.property(fc.integer({ min: 4, max: 14 }), steps, (columns, typed) => {
          const grid = new Grid(columns, 60);
          grid.write("up\n");
          const area = new PromptArea(grid, "rewraps", { isSpoken });
          for (const [units, share] of typed) {
            const text = units.join("");
            const before = units.slice(0, Math.floor(share * units.length)).join("");
            area.paint({ prompt: "> ", text, cursor: before.length });
            const shown = grid.text;
            const { rows } = broken(`> ${text}`, columns);
            for (const lines of [shown, rows]) while (lines.at(-1) === "") lines.pop();
            expect(shown).toEqual(["up", ...rows]);
            const at = broken(`> ${before}`, columns);
            expect([grid.row - 1, grid.column]).toEqual([at.row, at.column]);
          }
          const last = (typed.at(-1)?.[0] ?? []).join("");
          area.end("> ", last);
          grid.write("n");
          expect(grid.text).toEqual(["up", ...broken(`> ${last}`, columns).rows, "n"]);
        }),
        { numRuns: 500 },
      );
    },
  );

  test("shows a selection in inverse video, in the same rows and with the cursor at the same place", () => {
    const unit = fc.constantFrom("\n", ...characters.map(([character]) => character));
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const typing = fc.tuple(fc.array(unit, { maxLength: 40, size: "max" }), share, share, share, fc.boolean());
    fc.assert(
      fc.property(
        fc.integer({ min: 4, max: 14 }),
        fc.array(typing, { minLength: 1, maxLength: 6 }),
        (columns, steps) => {
          const grid = new Grid(columns, 60);
          let written = "";
          const write = (text: string): boolean => {
            written += text;
            return grid.write(text.replaceAll(inverse, ""));
          };
          const area = new PromptArea({ columns, rows: 60, write }, "rewraps");
          for (const [units, first, second, place_, isSelected] of steps) {
            const text = units.join("");
            const at = (part: number): number => units.slice(0, Math.floor(part * units.length)).join("").length;
            const [from = 0, to = 0] = [at(first), at(second)].toSorted((one, other) => one - other);
            const before = text.slice(0, at(place_));
            written = "";
            area.paint({ prompt: "> ", text, cursor: before.length, ...(isSelected && { selection: { from, to } }) });
            const shown = Array.from(written.matchAll(selected), ([, part = ""]) => part).join("");
            const expected = isSelected ? sanitize(text.slice(from, to)) : "";
            expect(shown.replaceAll(/\s/gu, "")).toBe(expected.replaceAll(/\s/gu, ""));
            const { rows } = broken(`> ${text}`, columns);
            const lines = grid.text;
            for (const each of [lines, rows]) while (each.at(-1) === "") each.pop();
            expect(lines).toEqual(rows);
            const cursor = broken(`> ${before}`, columns);
            expect([grid.row, grid.column]).toEqual([cursor.row, cursor.column]);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test("shows a selected line end as a blank, and no selection on a terminal that cannot go back", () => {
    const output: string[] = [];
    const terminal = { columns: 20, rows: 9, write: (text: string) => output.push(text) };
    const typed = { prompt: "> ", text: "a\n\nb", cursor: 0, selection: { from: 1, to: 3 } };
    new PromptArea(terminal, "rewraps").paint(typed);
    expect(output.join("")).toContain("> a\x1b[7m \x1b[27m\n  \x1b[7m \x1b[27m\n  b");
    output.length = 0;
    new PromptArea(terminal, "dumb").paint(typed);
    expect(output.join("")).not.toContain("\x1b");
  });

  test("shows lines under the prompt without moving it or its cursor", () => {
    const unit = fc.constantFrom("\n", "a", "日", " ");
    const typing = fc.tuple(fc.array(unit, { maxLength: 24, size: "max" }), fc.nat({ max: 24 }), fc.nat({ max: 6 }));
    const steps = fc.array(typing, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 14 }), fc.integer({ min: 2, max: 9 }), steps, (columns, rows, typed) => {
        const grid = new Grid(columns, rows);
        grid.write("up\n");
        const area = new PromptArea(grid, "rewraps");
        let top = 0;
        for (const [units, at, count] of typed) {
          const text = units.join("");
          const before = units.slice(0, at).join("");
          const below = (most: number, wide: number): string[] =>
            Array.from({ length: Math.min(most, count) }, () => "b".repeat(wide));
          area.paint({ prompt: "> ", text, cursor: before.length, below });
          const whole = broken(`> ${text}`, columns).rows;
          const place = broken(`> ${before}`, columns);
          if (place.row === whole.length) whole.push("");
          // It moves no further than the cursor, and leaves no row empty that the text could fill.
          top = Math.min(Math.max(top, place.row - (rows - 2)), place.row, Math.max(0, whole.length - (rows - 1)));
          const shown = whole.slice(top, top + rows - 1);
          const under = below(rows - 1 - shown.length, columns - 1);
          expect(grid.text).toEqual(["up", ...shown, ...under]);
          expect([grid.row - 1, grid.column]).toEqual([place.row - top, place.column]);
        }
        area.wipe();
        grid.write("n");
        expect(grid.text).toEqual(["up", "n"]);
      }),
      { numRuns: 500 },
    );
  });

  test("writes a character typed at the end alone while the lines under the prompt stay", () => {
    const unit = fc.constantFrom("a", "日", " ", "\n", "❤️", "e\u0301");
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 14 }), fc.array(unit, { maxLength: 30, size: "max" }), (columns, units) => {
        const grid = new Grid(columns, 60);
        grid.write("up\n");
        const area = new PromptArea(grid, "rewraps");
        const below = (): string[] => ["one", "two"];
        for (const at of units.keys()) {
          const text = units.slice(0, at + 1).join("");
          area.paint({ prompt: "> ", text, cursor: text.length, below });
          const { rows, row, column } = broken(`> ${text}`, columns);
          if (row === rows.length) rows.push("");
          expect(grid.text).toEqual(["up", ...rows, "one", "two"]);
          expect([grid.row - 1, grid.column]).toEqual([row, column]);
        }
      }),
      { numRuns: 300 },
    );
    const written: string[] = [];
    const area = new PromptArea({ columns: 20, rows: 9, write: (text) => written.push(text) }, "rewraps");
    for (const [text, line] of [
      ["a", "one"],
      ["ab", "one"],
      ["ab", "two"],
    ] as const)
      area.paint({ prompt: "> ", text, cursor: text.length, below: () => [line] });
    expect(written).toEqual([
      `${clearRowAndBelow}> a\x1b[?7l\none\x1b[?7h\x1b[1A\x1b[4G`,
      "b",
      // Rows that are erased first would flicker.
      "\x1b[?7l\ntwo\x1b[?7h\x1b[J\x1b[1A\x1b[5G",
    ]);
  });

  test("changes the lines under the prompt alone, however many they become", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "日", "\n"), maxLength: 30, size: "max" });
    const under = fc.array(fc.constantFrom("", "one", "three"), { maxLength: 4 });
    fc.assert(
      fc.property(text, fc.nat(), fc.array(under, { maxLength: 5 }), fc.integer({ min: 5, max: 9 }), (...given) => {
        const [typed, at, changes, columns] = given;
        const grid = new Grid(columns, 40);
        grid.write("up\n");
        const area = new PromptArea(grid, "rewraps");
        const cursor = at % (typed.length + 1);
        const paint = (lines: string[]): void => area.paint({ prompt: "> ", text: typed, cursor, below: () => lines });
        paint([]);
        const [alone, row, column] = [grid.text, grid.row, grid.column];
        for (const lines of changes) {
          paint(lines);
          expect(grid.text).toEqual([...alone, ...lines]);
          expect([grid.row, grid.column]).toEqual([row, column]);
        }
      }),
    );
  });

  test("leaves no row behind on a terminal that is narrower than it has said yet", () => {
    const grid = new Grid(10, 12);
    grid.write("up\n");
    const terminal = { columns: 30, rows: 12, write: (text: string) => grid.write(text) };
    const area = new PromptArea(terminal, "rewraps");
    for (const word of ["first", "other"])
      area.paint({ prompt: "> ", text: "ab", cursor: 2, below: () => [`${word} row of a wider terminal`] });
    expect(grid.text).toEqual(["up", "> ab", "other row"]);
    terminal.columns = 10;
    area.noteResize();
    area.paint({ prompt: "> ", text: "ab", cursor: 2, below: () => ["a row"] });
    expect(grid.text).toEqual(["up", "> ab", "a row"]);
  });

  test("shows the rows around the cursor of a text taller than the terminal, and all of it once it is sent", () => {
    const grid = new Grid(10, 4);
    const area = new PromptArea(grid, "rewraps");
    const text = Array.from({ length: 10 }, (_, row) => `row ${row}....`).join("");
    for (let at = text.length; at >= 0; at -= 7) area.paint({ prompt: "", text, cursor: at });
    expect(grid.text.slice(0, 3)).toEqual(["row 0....r", "ow 1....ro", "w 2....row"]);
    expect(grid.lines).toHaveLength(3);
    area.end("", text);
    expect(grid.text.slice(0, -1)).toEqual(broken(text, 10).rows);
  });

  test("scrolls a tall text only when the cursor leaves the shown rows", () => {
    const grid = new Grid(10, 5);
    const area = new PromptArea(grid, "rewraps");
    const rows = Array.from({ length: 9 }, (_, row) => `row ${row}`);
    const text = rows.join("\n");
    const placed = (row: number): string[] => {
      area.paint({ prompt: "> ", text, cursor: row * 6 });
      return [...grid.text, String(grid.row)];
    };
    expect(placed(8)).toEqual(["  row 5", "  row 6", "  row 7", "  row 8", "3"]);
    expect(placed(7)).toEqual(["  row 5", "  row 6", "  row 7", "  row 8", "2"]);
    expect(placed(5)).toEqual(["  row 5", "  row 6", "  row 7", "  row 8", "0"]);
    expect(placed(4)).toEqual(["  row 4", "  row 5", "  row 6", "  row 7", "0"]);
    expect(placed(6)).toEqual(["  row 4", "  row 5", "  row 6", "  row 7", "2"]);
    area.paint({ prompt: "> ", text: rows.slice(0, 6).join("\n"), cursor: 36 });
    expect(grid.text).toEqual(["  row 2", "  row 3", "  row 4", "  row 5"]);
  });

  test("does not end the last shown row with a line end", () => {
    const grid = new Grid(10, 4);
    new PromptArea(grid, "rewraps").paint({ prompt: "> ", text: "a\nb\nc\nd\ne", cursor: 5 });
    expect(grid.text).toEqual(["> a", "  b", "  c"]);
    expect([grid.row, grid.column]).toEqual([2, 3]);
  });

  test("moves to the next row after a full row", () => {
    const written: string[] = [];
    const area = new PromptArea({ columns: 10, rows: 9, write: (text) => written.push(text) }, "rewraps");
    area.paint({ prompt: "> ", text: "12345678", cursor: 8 });
    expect(written.splice(0)).toEqual([`${clearRowAndBelow}> 12345678 \x1b[1G`]);
    area.end("> ", "12345678");
    expect(written).toEqual([`\x1b[1A${clearRowAndBelow}> 12345678`, "\n"]);
  });

  test("repaints or continues correctly after a full row, depending on what is added", () => {
    for (const [more, want] of [
      ["\nx", `\x1b[1A${clearRowAndBelow}> 12345678\n  x`],
      ["\u0301", `\x1b[1A${clearRowAndBelow}> 12345678\u0301 \x1b[1G`],
      ["x", "x"],
    ] as const) {
      const written: string[] = [];
      const area = new PromptArea({ columns: 10, rows: 9, write: (text) => written.push(text) }, "rewraps");
      for (const text of ["12345678", `12345678${more}`]) area.paint({ prompt: "> ", text, cursor: text.length });
      expect(written.at(-1)).toBe(want);
    }
  });

  test("repaints the prompt once after the terminal's width changes", () => {
    for (const columns of [10, 45]) {
      const grid = new Grid(20, 10);
      grid.write("above\n");
      const area = new PromptArea(grid, "rewraps");
      const text = "abcdefghij".repeat(5);
      area.paint({ prompt: "> ", text, cursor: text.length });
      // As in terminals: wrapped rows are wrapped again, and the cursor stays after its character.
      grid.columns = columns;
      const { rows } = broken(`> ${text}`, columns);
      grid.lines = ["above", ...rows].map((row) => row.split(""));
      grid.row = rows.length;
      grid.column = rows.at(-1)?.length ?? 0;
      area.noteResize();
      area.paint({ prompt: "> ", text, cursor: text.length });
      expect(grid.text).toEqual(["above", ...rows]);
    }
  });

  /** What terminals do with the rows they have, the cursor's being the last. */
  const resizings = [
    // 20 columns: "> ppp…" and "  x" in its rows.
    { kind: "rewraps", columns: 10, rows: [...broken(`> ${"p".repeat(50)}\nx`, 10).rows] },
    { kind: "rewraps", columns: 45, rows: [...broken(`> ${"p".repeat(50)}\nx`, 45).rows] },
    { kind: "rewrapsAbove", columns: 45, rows: [...broken(`> ${"p".repeat(50)}\nx`, 45).rows] },
    { kind: "cuts", columns: 10, rows: [`> ${"p".repeat(8)}`, "p".repeat(10), "p".repeat(10), "  x"] },
    { kind: "cuts", columns: 45, rows: [`> ${"p".repeat(18)}`, "p".repeat(20), "p".repeat(12), "  x"] },
  ] as const;

  test.each(resizings)(
    "loses nothing above the prompt on a terminal that $kind, resized to $columns columns",
    ({ kind, ...now }) => {
      const grid = new Grid(20, 10);
      grid.write("above\n");
      const area = new PromptArea(grid, kind);
      const text = `${"p".repeat(50)}\nx`;
      area.paint({ prompt: "> ", text, cursor: text.length });
      grid.columns = now.columns;
      grid.lines = ["above", ...now.rows].map((row) => row.split(""));
      grid.row = now.rows.length;
      area.noteResize();
      area.paint({ prompt: "> ", text, cursor: text.length });
      expect(grid.text).toEqual(["above", ...broken(`> ${text}`, now.columns).rows]);
    },
  );

  test.each([
    { where: "at the row's end", row: 1, column: 9 },
    { where: "behind the row's last column", row: 1, column: 10 },
    { where: "in the next row", row: 2, column: 0 },
  ])("loses nothing above a prompt that fills its row only now, if the terminal puts the cursor $where", (place) => {
    const grid = new Grid(20, 10);
    grid.write("above\n");
    const area = new PromptArea(grid, "rewraps");
    area.paint({ prompt: "> ", text: "p".repeat(8), cursor: 8 });
    grid.columns = 10;
    if (place.row === 2) grid.lines.push([]);
    Object.assign(grid, { row: place.row, column: place.column });
    area.noteResize();
    area.paint({ prompt: "> ", text: "p".repeat(8), cursor: 8 });
    expect(grid.text).toEqual(["above", `> ${"p".repeat(8)}`, ""]);
    area.paint({ prompt: "> ", text: "p".repeat(7), cursor: 7 });
    expect(grid.text).toEqual(["above", `> ${"p".repeat(7)}`]);
  });

  const widths = [10, 45];
  test.each(widths)(
    "loses nothing above the prompt if the cursor goes to its line's first row at %i columns",
    (columns) => {
      const grid = new Grid(20, 24);
      grid.write("above\n");
      const area = new PromptArea(grid, "rewrapsToStart");
      const [first, second] = ["f".repeat(30), "p".repeat(50)];
      const text = `${first}\n${second}`;
      area.paint({ prompt: "> ", text, cursor: text.length });
      grid.columns = columns;
      grid.lines = ["above", ...broken(`> ${text}`, columns).rows].map((row) => row.split(""));
      grid.row = 1 + broken(`> ${first}`, columns).rows.length;
      area.noteResize();
      area.paint({ prompt: "> ", text, cursor: text.length });
      const shown = broken(`> ${text}`, columns).rows;
      expect(grid.text[0]).toBe("above");
      expect(grid.text.slice(-shown.length)).toEqual(shown);
    },
  );

  test("loses nothing above a single line on a terminal that keeps its rows", () => {
    for (const kind of ["cuts", "rewrapsAbove"] as const) {
      const grid = new Grid(20, 10);
      grid.write("above\n");
      const area = new PromptArea(grid, kind);
      area.paint({ prompt: "> ", text: "p".repeat(30), cursor: 30 });
      grid.columns = 10;
      grid.lines = ["above", "> pppppppp", "p".repeat(10)].map((row) => row.split(""));
      area.noteResize();
      area.paint({ prompt: "> ", text: "p".repeat(30), cursor: 30 });
      expect(grid.text).toEqual(["above", ...broken(`> ${"p".repeat(30)}`, 10).rows]);
    }
  });

  test("loses nothing above a text taller than the terminal when the size is reported again", () => {
    const grid = new Grid(20, 5);
    grid.write("above\n");
    const area = new PromptArea(grid, "rewraps");
    area.paint({ prompt: "> ", text: "p".repeat(300), cursor: 300 });
    const before = grid.text;
    area.noteResize();
    area.paint({ prompt: "> ", text: "p".repeat(300), cursor: 300 });
    expect(grid.text).toEqual(before);
    expect(before[0]).toBe("above");
  });

  test("scrolls the screen away and keeps the prompt when the screen is cleared", () => {
    const grid = new Grid(10, 4);
    for (const line of ["one", "two", "three", "four"]) grid.write(`${line}\n`);
    const area = new PromptArea(grid, "rewraps");
    area.paint({ prompt: "> ", text: "typed", cursor: 2 });
    area.clearScreen();
    expect(grid.text).toEqual(["one", "two", "three", "four", "> typed"]);
    expect([grid.row, grid.column]).toEqual([4, 4]);
  });

  test("does not clear the screen in its first row, which tmux would copy into the scrollback", () => {
    const grid = new Grid(10, 4);
    const area = new PromptArea(grid, "rewraps");
    for (const text of ["typed", "type", "typ"]) area.paint({ prompt: "> ", text, cursor: text.length });
    expect(grid.text).toEqual(["> typ"]);
    area.wipe();
    grid.write("n");
    expect(grid.text).toEqual(["n"]);
  });

  test("makes invisible characters of a paste visible, and shows its lines below each other", () => {
    const grid = new Grid(80, 4);
    const area = new PromptArea(grid, "rewraps");
    const text = "a\u202ebc\nd\te\n";
    area.paint({ prompt: "> ", text, cursor: text.length });
    expect(grid.text).toEqual(["> a<U+202E>bc", "  d     e", ""]);
  });

  test("uses no sequences on a dumb terminal, and overwrites erased characters", () => {
    let written = "";
    const area = new PromptArea({ write: (text) => (written += text) }, "dumb");
    for (const text of ["abc", "abcde", "abc", "aXbc"]) area.paint({ prompt: "> ", text, cursor: 1 });
    area.end("> ", "aXbc");
    expect(written).toBe("> abcde\b \b\b \b\n> aXbc\n");
  });
});

describe("Rows", () => {
  /** Nothing that a control or what cannot be seen does to a terminal is counted: it is spelled out first. */
  const unseen = ["\x07", "\x1b[2J", "\u200b", "\u202e", "\u00ad", "\ufeff", "\u1160", "\x9b2J"];
  const unit = fc.constantFrom(...characters.map(([character]) => character), ...unseen, "\t");

  test("breaks text into full rows without losing any of it", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 30 }), fc.array(unit, { maxLength: 60, size: "max" }), (columns, units) => {
        const text = sanitize(units.join("")).replaceAll("\t", "        ");
        const rows = new Rows(columns);
        rows.add(text);
        const lines = rows.lines.map((line) => line.replaceAll(place, "").replace(rowEnd, ""));
        // Before a character of disputed width, blanks fill the row; a row that it fills is ended.
        const bare = (all: string): string => all.replaceAll(" ", "");
        expect(bare(lines.join(""))).toBe(bare(text));
        const want = broken(text, columns);
        if (rows.lines.at(-2)?.endsWith(rowEnd) === true && lines.at(-1) === "") lines.pop();
        expect(lines.map((line) => line.trimEnd())).toEqual(want.rows);
        expect(rows.at).toEqual({ row: want.row, column: want.column });
      }),
    );
  });

  test("breaks text the same way if it comes in two parts", () => {
    fc.assert(
      fc.property(
        fc.array(unit, { maxLength: 30, size: "max" }),
        fc.array(unit, { maxLength: 30, size: "max" }),
        (first, second) => {
          const texts = [first, second].map((units) => sanitize(units.join("")));
          const [apart, whole] = [new Rows(9), new Rows(9)];
          for (const text of texts) apart.add(text);
          whole.add(texts.join(""));
          expect(apart.lines).toEqual(whole.lines);
        },
      ),
    );
  });

  test("moves a tab to the next stop and a wide character to the next row", () => {
    const after = (text: string): unknown => {
      const rows = new Rows(10);
      rows.add(text);
      return [rows.at.row, rows.at.column, rows.lines.length];
    };
    expect(after("a\tb")).toEqual([0, 9, 1]);
    expect(after("日本語日本")).toEqual([1, 0, 1]);
    expect(after("a日本語日本")).toEqual([1, 2, 2]);
  });

  test("sets the column after characters of disputed width, unless the cursor cannot move", () => {
    const lines = (columns: number, text: string): string[] => {
      const rows = new Rows(columns);
      rows.add(text);
      return rows.lines;
    };
    expect(lines(80, "a❤️b👍🏽c🇩🇪")).toEqual(["a❤️\x1b[4Gb👍🏽\x1b[7Gc🇩🇪\x1b[10G"]);
    expect(lines(Infinity, "a❤️b👍🏽c")).toEqual(["a❤️b👍🏽c"]);
    expect(lines(80, "日本👍ok")).toEqual(["日本👍ok"]);
  });

  test("starts a row indented by the prompt's width at a line break", () => {
    const rows = new Rows(10);
    rows.add("> one\n\n0123456789");
    expect(rows.lines).toEqual(["> one\n", "  \n", "  01234567", "89"]);
  });
});
