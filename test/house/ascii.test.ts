import { runInThisContext } from "node:vm";
import { expect, test } from "vitest";
import { ascii } from "../../scripts/ascii.ts";

test("what is not ASCII means the same as an escape, in texts, templates and patterns", () => {
  const code = "[`a…${1}`, '→', \"😀\".replace(/^[😀]$/u, '×'), /[\u0590-\u05ff…]/.source.length > 0, 'é' < 'ü']";
  const text = ascii(code);
  expect(text).toMatch(/^[ -~]+$/);
  expect(runInThisContext(text)).toEqual(runInThisContext(code));
});

test("a raw text is refused where it is not ASCII, and else stays as it is", () => {
  expect(() => ascii("const x = String.raw`…`;")).toThrow(/ASCII/);
  expect(ascii("const x = String.raw`\\'${1}`; const y = `…`;")).toBe(
    "const x = String.raw`\\'${1}`; const y = `\\u2026`;",
  );
});
