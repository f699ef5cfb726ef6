// Whatever a simulated session went through, its transcript replays without a difference.
import { beforeAll, expect, test } from "vitest";
import { preload } from "./preload.ts";
import { replaySessions } from "./replays.ts";
import { byTestDepth } from "../support/test-depth.ts";

beforeAll(preload);

const count = byTestDepth(12, 30);

test(`${count} simulated sessions make the same decisions when replayed`, async () => {
  let same = 0;
  for (let seed = 1; seed <= count; seed++) {
    const { problems, turns } = await replaySessions(seed);
    expect(problems).toEqual([]);
    expect(turns.filter(({ outcome }) => outcome === "differs").map((turn) => ({ seed, ...turn }))).toEqual([]);
    same += turns.filter(({ outcome }) => outcome === "same").length;
  }
  expect(same).toBeGreaterThan(2 * count);
});
