// What is shown around a word that a search has found.
import { expect, test } from "vitest";
import { TermHunt, termsOf } from "../../src/transcript/catalog/terms.ts";

function around(text: string, query: string): string {
  const hunt = new TermHunt(termsOf(query));
  hunt.look(text);
  return hunt.snippet ?? "";
}

test("no character is cut in half, wherever the piece begins and ends", () => {
  for (let between = 0; between < 4; between += 1) {
    const piece = around(`${"😀".repeat(200)}${"x".repeat(between)}修复${"😀".repeat(200)}`, "修复");
    expect(piece).toContain("修复");
    expect(piece.isWellFormed()).toBe(true);
  }
});

test("the place is found where the letters' marks stand apart", () => {
  expect(around(`${"a ".repeat(200)}café ${"b ".repeat(200)}`.normalize("NFD"), "café")).toContain("café");
});
