// The time of a record, of which several have the same.
import { expect, test } from "vitest";
import { isoTime } from "../../src/lib/iso-time.ts";

test("isoTime returns the text of the given moment, whatever was asked for before", () => {
  const moments = [0, 1, 1, 1_790_000_000_123, 1, -1, 0];
  expect(moments.map(isoTime)).toEqual(moments.map((at) => new Date(at).toISOString()));
});

test("isoTime throws for an invalid time", () => {
  expect(() => isoTime(Number.NaN)).toThrow(RangeError);
});
