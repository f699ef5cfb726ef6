// Five hundred sessions in one process: they keep to themselves, none waits for the others, and each costs little.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { isolatedPlan, sideBySide } from "../session/isolated-sessions.ts";
import { openOne, signals } from "../session/many-sessions.ts";
import { clearGrounds, disposeAll, layGround, turn } from "../session/support.ts";

afterAll(clearGrounds);

const count = 500;
const turns = 20;
const seed = Number(process.env["SEED"] ?? 20_261_128);

test(`${count} random sessions do not affect one another, seed ${seed}`, async () => {
  await sideBySide(fc.sample(isolatedPlan, { numRuns: count, seed }));
});

test(`${count} sessions of ${turns} turns end within a short time of one another`, async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const ground = layGround();
  ground.file("known.txt", "what is known\n");
  await turn(await openOne(ground, turns), "Go.");
  collect();
  const before = process.memoryUsage().heapUsed;
  const engines = await Promise.all(Array.from({ length: count }, () => openOne(ground, turns)));
  const start = performance.now();
  const took = await Promise.all(
    engines.map(async (engine) => {
      await turn(engine, "Go.");
      return performance.now() - start;
    }),
  );
  const wallMs = performance.now() - start;
  signals.clear();
  collect();
  const heldKb = (process.memoryUsage().heapUsed - before) / 1024 / count;
  const sorted = took.toSorted((one, other) => one - other);
  const [median = 0, slowest = 0] = [sorted[count >> 1], sorted.at(-1)];
  console.log(
    `${count} sessions: ${heldKb.toFixed(0)} KB of heap each with their messages, ${((count * turns * 1000) / wallMs).toFixed(0)} turns/s, the slowest took ${(slowest / median).toFixed(2)} times the median`,
  );
  // Where one waits for the other, the last ends after 1.6 to 2 times the median; 1.00 is usual.
  expect(slowest / median).toBeLessThan(1.25);
  await disposeAll();
});
