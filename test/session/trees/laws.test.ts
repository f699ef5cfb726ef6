// Whatever commands do to the working folders, a rewind undoes it.
import { expect, test } from "vitest";
import { diesInRewind } from "./kill.ts";
import { rewindsAnything } from "./random-trees.ts";

test("a rewind restores the tree before any prompt, with all contents and modes", async () => {
  await rewindsAnything(15);
});

test("the next process finishes a rewind that was killed with SIGKILL", async () => {
  expect(await diesInRewind(12)).toBeUndefined();
});
