// The time of a record, of which several have the same.
import { expect, test } from "vitest";
import { isoTime } from "../../src/lib/iso-time.ts";

test("it is that of the moment asked for, whichever was asked for before", () => {
  const moments = [0, 1, 1, 1_790_000_000_123, 1, -1, 0];
  expect(moments.map(isoTime)).toEqual(moments.map((at) => new Date(at).toISOString()));
});

test("what is no time is none", () => {
  expect(() => isoTime(Number.NaN)).toThrow(RangeError);
});
