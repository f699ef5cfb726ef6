// Emoji that terminals give one column or two, such as tmux and a heart: the prompt's rows and its cursor are the same on all.
import { expect, test } from "vitest";
import { PromptArea } from "../../../src/surface/line/prompt-area.ts";
import { broken, unitsOf, widthOf } from "./characters.ts";
import { Grid } from "./grid.ts";

const narrow = (character: string): number =>
  /^[\p{Emoji}\p{RI}]\ufe0f?/u.test(character) && character.length > 1 ? 1 : widthOf(character);

/** The rows and the cursor's place after typing the text, character by character or at once. */
function typed(pieces: readonly string[], width = narrow) {
  const grid = new Grid(10, 8, width);
  grid.write("up\n");
  const area = new PromptArea(grid, "rewraps");
  let text = "";
  for (const piece of pieces) area.paint({ prompt: "> ", text: (text += piece), cursor: text.length });
  const shown = { rows: grid.text, at: [grid.row, grid.column] };
  area.end("> ", text);
  grid.write("next");
  return { ...shown, after: grid.text };
}

// Seen in tmux: what followed a heart at the end of a row was written over the beginning of the row.
test.each(["❤️", "1️⃣", "🇩🇪"])("what follows %s at the end of a row begins the next row", (emoji) => {
  for (const pieces of [["abcdef", emoji, "bc"], [`abcdef${emoji}bc`]]) {
    const { rows, at, after } = typed(pieces);
    expect(rows).toEqual(["up", `> abcdef${emoji}`, "bc"]);
    expect(at).toEqual([2, 2]);
    expect(after).toEqual([...rows, "next"]);
  }
});

test.each(["❤️", "1️⃣", "🇩🇪"])("%s begins the next row if the last column alone is left", (emoji) => {
  for (const pieces of [["abcdefg", emoji, "bc"], [`abcdefg${emoji}bc`]]) {
    const { rows, at } = typed(pieces);
    expect(rows).toEqual(["up", "> abcdefg", `${emoji} bc`]);
    expect(at).toEqual([2, 4]);
  }
});

test("a prompt that ends with a heart at the end of a row leaves no empty row, and a line end after it neither", () => {
  for (const width of [narrow, widthOf]) {
    const sent = typed(["abcdef❤️"], width);
    expect(sent.at).toEqual([2, 0]);
    expect(sent.after).toEqual(["up", "> abcdef❤️", "next"]);
    expect(typed(["abcdef❤️", "\nb"], width).rows).toEqual(["up", "> abcdef❤️", "  b"]);
  }
});

test("a heart at the end of a row is replaced for a screen reader without erasing what takes its place", () => {
  let written = "";
  const terminal = { columns: 10, rows: 9, write: (text: string) => (written += text) };
  const area = new PromptArea(terminal, "rewraps", { isSpoken: true });
  area.paint({ prompt: "> ", text: "abcdef❤️\nx", cursor: 10 });
  written = "";
  area.paint({ prompt: "> ", text: "abcdefgh\nx", cursor: 10 });
  expect(written).toContain("gh");
  expect(written).not.toContain("\x1b[K");
});

// Seen: the row above the prompt was erased, or its first row stayed above it.
test.each(["abcdefgh❤️", "abcdefgh❤️\n", "abcdefghij"])(
  "the prompt is found again in a narrower window if a line follows %j",
  (first) => {
    for (const rest of ["b".repeat(13), "b".repeat(15), "\n", "\nb"]) {
      const grid = new Grid(12, 20);
      grid.write("up\n");
      const area = new PromptArea(grid, "rewraps");
      const text = `${first}\n${rest}`;
      area.paint({ prompt: "> ", text, cursor: text.length });
      grid.columns = 8;
      const now = broken(`> ${text}`, 8);
      grid.lines = ["up", ...now.rows].map((row) => unitsOf(row));
      grid.row = now.row + 1;
      grid.column = now.column;
      area.noteResize();
      area.paint({ prompt: "> ", text, cursor: text.length });
      expect(grid.text.slice(0, now.rows.length + 1)).toEqual(["up", ...now.rows]);
    }
  },
);

test("the prompt is found again when its window becomes wider", () => {
  const grid = new Grid(10, 8, narrow);
  grid.write("up\n");
  const area = new PromptArea(grid, "rewraps");
  area.paint({ prompt: "> ", text: "abcdef❤️bc", cursor: 10 });
  grid.columns = 20;
  area.noteResize();
  area.paint({ prompt: "> ", text: "abcdef❤️bc", cursor: 10 });
  expect(grid.text).toEqual(["up", "> abcdef❤️ bc"]);
});
