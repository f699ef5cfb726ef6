import fc from "fast-check";
import { expect, test } from "vitest";
import { headOf, middleCut, tailOf } from "../../src/lib/text-cut.ts";

test("a cut keeps as much as fits and never splits a surrogate pair", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: -2, max: 40 }), (text, length) => {
      const [head, tail, middle] = [headOf(text, length), tailOf(text, length), middleCut(text, length, "…")];
      expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
      for (const cut of [head, tail, middle])
        expect(cut.isWellFormed()).toBe(text.isWellFormed() || cut.isWellFormed());
      const wanted = Math.max(0, Math.min(length, text.length));
      for (const cut of [head, tail]) expect([wanted, wanted - 1]).toContain(cut.length);
      expect(middle.length).toBeLessThanOrEqual(Math.max(1, text.length <= length ? text.length : length));
    }),
  );
});

test("middleCut keeps both ends with a mark between them", () => {
  expect(middleCut("0123456789", 7, "…")).toBe("012…789");
  expect(middleCut("0123456789", 10)).toBe("0123456789");
  expect(headOf("a🐾b", 2)).toBe("a");
  expect(tailOf("a🐾b", 2)).toBe("b");
});
