// Whatever commands do to the working folders, a rewind undoes it.
import { test } from "vitest";
import { rewindsAnything } from "./random-trees.ts";

test("a rewind brings back the tree before any prompt, byte for byte and mode for mode", async () => {
  await rewindsAnything(25);
});
