// What is shown around a word that a search has found.
import { expect, test } from "vitest";
import { TermSearch, parseTerms } from "../../src/transcript/catalog/terms.ts";

function around(text: string, query: string): string {
  const hunt = new TermSearch(parseTerms(query));
  hunt.scan(text);
  return hunt.snippet ?? "";
}

test("a snippet never cuts a character in half", () => {
  for (let between = 0; between < 4; between += 1) {
    const piece = around(`${"😀".repeat(200)}${"x".repeat(between)}修复${"😀".repeat(200)}`, "修复");
    expect(piece).toContain("修复");
    expect(piece.isWellFormed()).toBe(true);
  }
});

test("a snippet is found in text with separate combining marks", () => {
  expect(around(`${"a ".repeat(200)}café ${"b ".repeat(200)}`.normalize("NFD"), "café")).toContain("café");
});
