import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyEdit } from "../../src/tools/edit-match.ts";

const line = fc.constantFrom("a", "b", "ab", "", " a", "$&", "x");
const ends = { lf: fc.constant("\n"), crlf: fc.constant("\r\n"), mixed: fc.constantFrom("\n", "\r\n") };
const textWith = (end: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(fc.array(fc.tuple(line, end), { maxLength: 8 }), line)
    .map(([lines, last]) => lines.map(([text, eol]) => text + eol).join("") + last);
const short = fc
  .array(fc.constantFrom("a", "b", "\n", " ", "$&", "x"), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(""));

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

describe("an edit", () => {
  test("of a file with LF equals a replacement of strings", () => {
    fc.assert(
      fc.property(textWith(ends.lf), short, short, fc.boolean(), (text, oldString, newString, replaceAll) => {
        const verdict = applyEdit(text, { oldString, newString, replaceAll });
        const found = count(text, oldString);
        if (oldString === newString) expect(verdict).toEqual({ ok: false, why: "identical" });
        else if (found === 0) expect(verdict).toEqual({ ok: false, why: "not_found" });
        else if (found > 1 && !replaceAll)
          expect(verdict).toMatchObject({ ok: false, why: "not_unique", count: found });
        else expect(verdict).toEqual({ ok: true, text: text.split(oldString).join(newString), replacements: found });
      }),
      { numRuns: 2000 },
    );
  });

  test("of a file with CRLF equals the same edit with CRLF", () => {
    fc.assert(
      fc.property(
        textWith(ends.lf),
        short,
        short,
        fc.boolean(),
        fc.boolean(),
        (text, oldString, newString, replaceAll, isCrlf) => {
          const crlf = (part: string): string => part.replaceAll("\n", "\r\n");
          const given = isCrlf ? { oldString: crlf(oldString), newString: crlf(newString) } : { oldString, newString };
          const plain = applyEdit(text, { oldString, newString, replaceAll });
          const verdict = applyEdit(crlf(text), { ...given, replaceAll });
          if (!text.includes("\n")) return;
          if (plain.ok) expect(verdict).toEqual({ ...plain, text: crlf(plain.text) });
          else expect(verdict).toMatchObject({ ok: false, why: plain.why });
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("of a file with mixed line ends keeps all bytes outside the match, and never leaves a lone CR", () => {
    fc.assert(
      fc.property(textWith(ends.mixed), short, short, (text, oldString, newString) => {
        const verdict = applyEdit(text, { oldString, newString, replaceAll: false });
        if (!verdict.ok) return;
        const plain = (part: string): string => part.replaceAll("\r\n", "\n");
        expect(verdict.text.replaceAll("\r\n", "")).not.toContain("\r");
        const [before, after] = [plain(text), plain(verdict.text)];
        const places = Array.from({ length: before.length }, (_, at) => at).filter((at) =>
          before.startsWith(oldString, at),
        );
        expect(
          places.map((at) => before.slice(0, at) + plain(newString) + before.slice(at + oldString.length)),
        ).toContain(after);
      }),
      { numRuns: 3000 },
    );
  });

  test("that fails gives a reason and never a text", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (text, oldString, newString) => {
        const verdict = applyEdit(text, { oldString, newString, replaceAll: false });
        expect("text" in verdict).toBe(verdict.ok);
      }),
    );
  });

  test("of all places in a large file takes linear time, whatever the line ends are", () => {
    const start = process.cpuUsage();
    for (const [head, tail] of [
      ["", ""],
      ["\r\n", ""],
      ["", "\r\n"],
    ] as const) {
      const text = head + "some line of text".repeat(200_000) + tail;
      const verdict = applyEdit(text, { oldString: "line", newString: "row", replaceAll: true });
      expect(verdict).toMatchObject({ ok: true, replacements: 200_000 });
    }
    const lines = applyEdit("some line\n".repeat(400_000), { oldString: "line", newString: "row", replaceAll: true });
    expect(lines).toMatchObject({ ok: true, replacements: 400_000 });
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1_000).toBeLessThan(8_000);
  });
});
