// Whatever commands do to the working folders, a rewind undoes it.
import { expect, test } from "vitest";
import { diesInRewind, diesInSnapshot } from "./kill.ts";
import { rewindsAnything } from "./random-trees.ts";

test("a rewind brings back the tree before any prompt, byte for byte and mode for mode", async () => {
  await rewindsAnything(25);
});

test("kill -9 in the middle of a rewind or a snapshot: the next process does the rest", async () => {
  expect(await Promise.all([diesInRewind(12), diesInSnapshot(2)])).toEqual([undefined, undefined]);
});
