// The answers that a question lists before its input, on a terminal that is too narrow for all of them in a row.
import { describe, expect, test } from "vitest";
import { breakBetweenAnswers } from "../../../src/surface/line/answer-rows.ts";
import { PromptArea } from "../../../src/surface/line/prompt-area.ts";
import { Grid } from "./grid.ts";

const answers = "yes, no, always (Bash(npm run build:*)), all edits (Shift+Tab), show (in full)? ";

// Seen: "always" was broken within a word at 80 columns.
describe("the answers to a question", () => {
  test("stay in one row where they fit", () => {
    expect(breakBetweenAnswers(answers, 81)).toBe(answers);
    expect(breakBetweenAnswers("own words: ", 4)).toBe("own words: ");
  });

  test("are each kept whole in a narrower terminal", () => {
    expect(breakBetweenAnswers(answers, 60).split("\n")).toEqual([
      "yes, no, always (Bash(npm run build:*)),",
      "all edits (Shift+Tab), show (in full)? ",
    ]);
  });

  test("are broken between their words if they are longer than a row", () => {
    expect(breakBetweenAnswers(answers, 20).split("\n")).toEqual([
      "yes, no, always",
      "(Bash(npm run",
      "build:*)), all",
      "edits (Shift+Tab),",
      "show (in full)? ",
    ]);
  });

  test("leave nothing behind when they are painted, answered and painted at another width", () => {
    const grid = new Grid(40, 12);
    grid.write("up\n");
    const area = new PromptArea(grid, "rewraps");
    area.paint({ prompt: answers, text: "n", cursor: 1 });
    const rows = ["yes, no, always (Bash(npm run build:*)),", "  all edits (Shift+Tab),"];
    expect(grid.text).toEqual(["up", ...rows, "  show (in full)? n"]);
    grid.columns = 60;
    area.noteResize();
    area.paint({ prompt: answers, text: "n", cursor: 1 });
    expect(grid.text).toEqual([
      "up",
      "yes, no, always (Bash(npm run build:*)),",
      "  all edits (Shift+Tab), show (in full)? n",
    ]);
    area.end(answers, "no");
    expect(grid.text.at(-2)).toBe("  all edits (Shift+Tab), show (in full)? no");
  });

  test("are not broken within a word of the note that takes the place of an answer", () => {
    const ended = (columns: number, note: string): string[] => {
      const grid = new Grid(columns, 12);
      const area = new PromptArea(grid, "rewraps");
      area.paint({ prompt: "yes, no, always (Edit(a.ts))? ", text: "ye", cursor: 2 });
      area.endWithNote("yes, no, always (Edit(a.ts))? ", note);
      return grid.text;
    };
    expect(ended(43, "refused (Esc)")).toEqual(["yes, no, always (Edit(a.ts))? refused (Esc)", ""]);
    expect(ended(42, "refused (Esc)")).toEqual(["yes, no, always (Edit(a.ts))?", "  refused (Esc)", ""]);
  });

  test("leave room for the input in the row of the last one", () => {
    expect(breakBetweenAnswers("1-2, or your own words: ", 20).split("\n")).toEqual(["1-2, or your own", "words: "]);
  });

  test("are broken for a terminal without a cursor, too, but not for a screen reader", () => {
    const written = (kind: "dumb" | "rewraps", isSpoken: boolean): string => {
      let shown = "";
      const terminal = { columns: 60, rows: 24, write: (text: string) => (shown += text) };
      new PromptArea(terminal, kind, { isSpoken }).paint({ prompt: answers, text: "", cursor: 0 });
      return shown;
    };
    expect(written("dumb", false)).toContain(":*)),\n  all edits");
    expect(written("rewraps", true)).toContain(":*)), all edits");
  });
});
