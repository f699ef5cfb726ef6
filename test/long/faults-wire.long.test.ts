// Every pattern of a connection that stalls, breaks or says odd things, against the real command over bare sockets.
import { expect, test } from "vitest";
import { runPooled } from "../support/faults/pool.ts";
import { patterns, type Pattern } from "../support/faults/wire-patterns.ts";
import { runPattern } from "../support/faults/wire.ts";
import { sharedTemporaryFolder } from "../support/temporary-folder.ts";

const cache = sharedTemporaryFolder();

test("every connection fault leads to its expected outcome", { timeout: 1_800_000 }, async () => {
  const failures = await runPooled<Pattern>(patterns, 3, (pattern) => runPattern(pattern, cache));
  const counts = Object.entries(Object.groupBy(patterns, ({ expected }) => expected));
  const told = counts.map(([expected, list]) => `${list.length} ${expected}`).join(", ");
  console.log(`wire: ${patterns.length} patterns (${told}), ${failures.length} failed`);
  expect(failures.map(({ item, error }) => `${item.name}: ${error.message}`).join("\n\n")).toBe("");
  expect(patterns.length).toBeGreaterThanOrEqual(70);
});
