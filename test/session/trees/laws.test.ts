// Whatever commands do to the working folders, a rewind undoes it.
import { expect, test } from "vitest";
import { diesInRewind } from "./kill.ts";
import { rewindsAnything } from "./random-trees.ts";

test("a rewind brings back the tree before any prompt, byte for byte and mode for mode", async () => {
  await rewindsAnything(15);
});

test("kill -9 in the middle of a rewind: the next process does the rest", async () => {
  expect(await diesInRewind(12)).toBeUndefined();
});
