// Every law, with a fault at every port call. How many were tried is printed, and may not fall.
import { expect, test } from "vitest";
import { holdAtEveryPoint } from "./support/every-point.ts";

test("every law holds with a fault of each kind at every port call", { timeout: 180_000 }, async () => {
  const { calls, runs } = await holdAtEveryPoint(["fault"]);
  expect(calls).toBeGreaterThanOrEqual(2_600);
  expect(runs).toBeGreaterThanOrEqual(4_500);
});
