import fc from "fast-check";
import { expect, test } from "vitest";
import { HeadTail } from "../../src/lib/head-tail.ts";

test("keeps the first and last bytes of a stream, whatever the size of its chunks", () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 20, size: "max" }),
      fc.nat(10),
      fc.nat(10),
      (chunks, headLimit, tailLimit) => {
        const ends = new HeadTail(headLimit, tailLimit);
        for (const chunk of chunks) {
          const own = Buffer.from(chunk);
          ends.push(own);
          own.fill(0xee);
        }
        const all = Buffer.concat(chunks);
        const head = all.subarray(0, headLimit);
        const rest = all.subarray(headLimit);
        const tail = tailLimit === 0 ? Buffer.alloc(0) : rest.subarray(Math.max(0, rest.length - tailLimit));
        expect(ends.head().equals(head)).toBe(true);
        expect(ends.tail().equals(tail)).toBe(true);
        expect([ends.total, ends.dropped]).toEqual([all.length, all.length - head.length - tail.length]);
      },
    ),
    { numRuns: 1000 },
  );
});
