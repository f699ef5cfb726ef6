// What takes long about rewinding: a wide fan-out, and many random trees.
import { afterAll, expect, test } from "vitest";
import { clearGrounds, disposeAll } from "../session/support.ts";
import { undoesAgents } from "../session/trees/fan-out.ts";
import { diesInRewind, diesInSnapshot } from "../session/trees/kill.ts";
import { rewindsAnything } from "../session/trees/random-trees.ts";

afterAll(async () => {
  await disposeAll();
  clearGrounds();
});

test("a rewind undoes the writes of forty agents", async () => {
  await undoesAgents(40);
});

test("a rewind restores a thousand random trees", async () => {
  await rewindsAnything(1_000);
});

test.each([
  ["a rewind", diesInRewind, 15],
  ["a snapshot", diesInSnapshot, 3],
] as const)("after kill -9 at every step of %s, the next process completes it", async (_what, dies, least) => {
  let step = 1;
  while ((await dies(step)) === undefined) step += 1;
  expect(step).toBeGreaterThan(least);
});
