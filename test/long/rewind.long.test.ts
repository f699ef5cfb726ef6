// What takes long about rewinding: a wide fan-out, and many random trees.
import { afterAll, test } from "vitest";
import { clearGrounds, disposeAll } from "../session/support.ts";
import { undoesAgents } from "../session/trees/fan-out.ts";
import { rewindsAnything } from "../session/trees/random-trees.ts";

afterAll(async () => {
  await disposeAll();
  clearGrounds();
});

test("forty agents that write are undone with the prompt that started them", async () => {
  await undoesAgents(40);
});

test("a rewind brings back a thousand random trees", async () => {
  await rewindsAnything(1_000);
});
