import { runInThisContext } from "node:vm";
import { expect, test } from "vitest";
import { toAscii } from "../../scripts/ascii.ts";

test("escapes keep the meaning of strings, templates and patterns", () => {
  const code = "[`a…${1}`, '→', \"😀\".replace(/^[😀]$/u, '×'), /[\u0590-\u05ff…]/.source.length > 0, 'é' < 'ü']";
  const text = toAscii(code);
  expect(text).toMatch(/^[ -~]+$/);
  expect(runInThisContext(text)).toEqual(runInThisContext(code));
});

test("a raw template is refused if it is not ASCII, and otherwise unchanged", () => {
  expect(() => toAscii("const x = String.raw`…`;")).toThrow(/ASCII/);
  expect(toAscii("const x = String.raw`\\'${1}`; const y = `…`;")).toBe(
    "const x = String.raw`\\'${1}`; const y = `\\u2026`;",
  );
});
