import fc from "fast-check";
import { expect, test } from "vitest";
import { LineSplitter, type SplitLine } from "../../../src/surface/stdio/line-splitter.ts";

function split(chunks: readonly Buffer[], limit: number): SplitLine[] {
  const splitter = new LineSplitter(limit);
  return [...chunks.flatMap((chunk) => [...splitter.push(chunk)]), ...splitter.end()];
}

test("LineSplitter yields the same lines for all chunk sizes", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.string({ unit: "grapheme", maxLength: 12, size: "max" }).map((text) => text.replaceAll("\n", " ")),
        { minLength: 1 },
      ),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      fc.boolean(),
      (lines, sizes, isEnded) => {
        const bytes = Buffer.from(lines.join("\n") + (isEnded ? "\n" : ""));
        const chunks: Buffer[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        const want = isEnded || lines.at(-1) !== "" ? lines : lines.slice(0, -1);
        expect(split(chunks, 1000)).toEqual(want.map((text) => ({ text })));
      },
    ),
  );
});

test("LineSplitter reports a line over the limit once, skips it, and keeps the lines around it", () => {
  const chunks = ["ab\n", "x".repeat(8), "x".repeat(8), "x\ncd\n", "y".repeat(20)].map((text) => Buffer.from(text));
  const skipped = (beginning: string): SplitLine => ({ tooLong: true, beginning });
  expect(split(chunks, 10)).toEqual([{ text: "ab" }, skipped("x".repeat(16)), { text: "cd" }, skipped("y".repeat(20))]);
  expect(split([Buffer.from("z".repeat(5000))], 10)).toEqual([skipped("z".repeat(4096))]);
});
