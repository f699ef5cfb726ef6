import { expect, test } from "vitest";
import { memoizeInTick } from "../../src/lib/memoize-in-tick.ts";

test("an answer is shared until the running code has ended, and then looked up again", async () => {
  const asked: string[] = [];
  const look = memoizeInTick((text) => {
    asked.push(text);
    return text === "none" ? undefined : text.toUpperCase();
  });
  expect([look("a"), look("none"), look("a"), look("none")]).toEqual(["A", undefined, "A", undefined]);
  expect(asked).toEqual(["a", "none"]);
  await Promise.resolve();
  expect(look("a")).toBe("A");
  expect(asked).toEqual(["a", "none", "a"]);
});
