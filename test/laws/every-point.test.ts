// Every law, with an abort at every yield point and during every port call. How many were tried is printed, and may not fall.
import { expect, test } from "vitest";
import { guardsAfter } from "../../src/loop/state.ts";
import { holdAtEveryPoint } from "./support/every-point.ts";

test(
  "every law holds with an abort at every yield point and during every port call",
  { timeout: 180_000 },
  async () => {
    const { yields, runs, traits } = await holdAtEveryPoint(["none", "cancel", "cancel_in_call"]);
    expect(yields).toBeGreaterThanOrEqual(510);
    expect(runs).toBeGreaterThanOrEqual(2_750);
    for (const reason of Object.keys(guardsAfter)) expect(traits).toContain(`again ${reason}`);
  },
);
