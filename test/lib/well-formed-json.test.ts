import fc from "fast-check";
import { expect, test } from "vitest";
import { wellFormedJson } from "../../src/lib/well-formed-json.ts";

test("replaces halves of surrogate pairs by U+FFFD in keys and values", () => {
  const value = { "\ud800": ["a\udc00b", "\\\ud83d", "\\ud83d", "😀", "\udE00\ud83d"] };
  expect(wellFormedJson(value)).toBe(String.raw`{"�":["a�b","\\�","\\ud83d","😀","��"]}`);
});

test("writes any value like JSON.stringify, but well-formed", () => {
  const text = fc.string({ unit: fc.constantFrom("\\", '"', "u", "d", "8", "0", "\ud83d", "\ude00", "\n", "é") });
  fc.assert(
    fc.property(fc.array(text), (value) => {
      expect(JSON.parse(wellFormedJson(value))).toEqual(value.map((item) => item.toWellFormed()));
    }),
  );
});
