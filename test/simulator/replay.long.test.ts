// More of the same: thousands of recorded turns, through crashes, full disks and interruptions.
import { beforeAll, expect, test } from "vitest";
import { preload } from "./preload.ts";
import { replaySessions } from "./replays.ts";

beforeAll(preload);

test("fifteen hundred simulated sessions make the same decisions when replayed", { timeout: 1_800_000 }, async () => {
  const different: unknown[] = [];
  for (let seed = 31; seed <= 1_530; seed++) {
    const { turns } = await replaySessions(seed);
    for (const turn of turns) if (turn.outcome === "differs") different.push({ seed, ...turn });
  }
  expect(different).toEqual([]);
});
