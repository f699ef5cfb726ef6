// JSON that no reader takes for more than one line.
import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonLine } from "../../src/lib/json-line.ts";

test.each([
  ["\u0085", String.raw`"\u0085"`],
  ["\u2028", String.raw`"\u2028"`],
  ["\u2029", String.raw`"\u2029"`],
  ["ж\u0085\u2029ж\u2028", String.raw`"ж\u0085\u2029ж\u2028"`],
])("escapes characters that end a line for some readers (%j)", (text, json) => {
  expect(jsonLine(text)).toBe(json);
});

test("the line parses to the same value and contains no line end", () => {
  const text = fc.string({ unit: fc.oneof(fc.constantFrom("\u0085", "\u2028", "\u2029", "é", "ж"), fc.string()) });
  fc.assert(
    fc.property(text, (value) => {
      expect(JSON.parse(jsonLine([value]))).toEqual([value]);
      expect(jsonLine([value])).not.toMatch(/[\n\r\u0085\u2028\u2029]/u);
    }),
  );
});
