// Ctrl+C at fifty instants of a run, chosen inside the time a run takes here; then the session goes on.
import { expect, test } from "vitest";
import { runPooled } from "../support/faults/pool.ts";
import { slowRun } from "../support/faults/scenarios.ts";
import { interruptAt, measureWholeRun } from "../support/faults/signal.ts";
import { sharedTemporaryFolder } from "../support/temporary-folder.ts";

const cache = sharedTemporaryFolder();

const instants = 50;

test(`a run interrupted at ${instants} instants can be continued`, { timeout: 1_800_000 }, async () => {
  const { took, started } = await measureWholeRun(slowRun, cache);
  const times = Array.from({ length: instants }, (_, at) => (took * (at + 0.5)) / instants);
  const counts: Record<string, number> = {};
  const failures = await runPooled(times, 3, async (afterMs) => {
    const how = await interruptAt(slowRun, afterMs, cache);
    counts[how] = (counts[how] ?? 0) + 1;
  });
  const told = JSON.stringify(counts);
  console.log(
    `sigint: a run of ${Math.round(took)} ms (first event after ${Math.round(started)} ms), ${instants} instants: ${told}`,
  );
  expect(failures.map(({ error }) => error.message).join("\n\n")).toBe("");
  expect(counts["settled"]).toBeGreaterThan(instants / 2);
});
