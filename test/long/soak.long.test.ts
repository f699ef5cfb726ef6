// Four hundred turns of the real command against a strict server that is not ours, with faults at random points. Other seeds: SEEDS=1,2,3.
import { expect, test } from "vitest";
import { interrupted } from "../e2e/support/interrupted.ts";
import { soak } from "../e2e/support/soak.ts";

const seeds = (process.env["SEEDS"] ?? "11,12,13").split(",").map(Number);

test.each(seeds)(
  "four hundred turns with faults at random points succeed, seed %i",
  { timeout: 900_000 },
  async (seed) => {
    const counts = await soak({ seed, turns: 100, faults: 0.15 });
    expect(counts["requests"]).toBeGreaterThan(400);
  },
);

test.each(seeds.flatMap((seed) => [seed, seed + 100, seed + 200]))(
  "a session that is stopped and resumed again and again goes on as one, seed %i",
  { timeout: 900_000 },
  async (seed) => {
    const stopped = await interrupted({ seed, turns: 40, stops: 25 });
    console.log(`soak: seed ${seed}: stopped ${stopped} times`);
    expect(stopped).toBeGreaterThan(5);
  },
);

test.each(seeds.flatMap((seed) => [18_000, 40_000].map((mostBytes) => ({ seed, mostBytes }))))(
  "a hundred turns within $mostBytes bytes are shortened repeatedly and stay valid, seed $seed",
  { timeout: 900_000 },
  async ({ seed, mostBytes }) => {
    const counts = await soak({ seed, turns: 25, faults: 0.1, pauses: false, mostBytes });
    expect(counts["summary"]).toBeGreaterThan(2);
  },
);
